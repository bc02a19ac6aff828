// Operands and calls of products, for the tests.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "library/call.hpp"

namespace xcuda::library {

using Shape = std::vector<std::uint64_t>;
using Strides = std::vector<std::int64_t>;

inline Operand operand(Shape shape, Strides strides, Scalar type = Scalar::float32, const void* at = nullptr) {
  return {reinterpret_cast<std::uint64_t>(at), type, std::move(shape), std::move(strides)};
}

inline Call call_of(Operand result, Operand left, Operand right) {
  Call call;
  call.operands = {std::move(result), std::move(left), std::move(right), {}, {}};
  call.scalars = {1, 0, 0, 0};
  return call;
}

}  // namespace xcuda::library
