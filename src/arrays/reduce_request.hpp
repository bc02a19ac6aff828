// What is to be reduced, by which reducer, and where the result goes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arrays/array_node.hpp"

namespace xcuda::arrays {

struct ReduceRequest {
  ArrayNodePtr node;
  std::string reducer;                                         // of xcuda/reduce.cuh: "xcuda::Sum<xcuda_Own>"
  std::optional<std::size_t> axis;                             // nothing: over everything
  enum class Keep : std::uint8_t { no, yes } keep = Keep::no;  // the axis, with an extent of 1
  std::string function;                                        // text in front of the reducer
  std::string names;                                           // cells' names that the function uses
  // Over everything: the result in memory of its own, or a number in scratch memory (workspace.hpp); or there what the
  // reducer keeps of the elements, to be put together with others.
  enum class Leaves : std::uint8_t { result, number, state } leaves = Leaves::result;
};

}  // namespace xcuda::arrays
