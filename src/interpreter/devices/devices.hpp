// Which device statements work on, and what of an array lies there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"
#include "session/array_table.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class Devices : public Part {
 public:
  explicit Devices(Frame& frame) : Part(frame) {}

  std::uint32_t number_of(const cell::Expression& device);  // Error(value) where the session has no such device
  std::uint32_t owner_of(const cell::Call& part);           // of local(x), x.device(1)
  Value call(const FunctionCall& of);  // device(), device_count(), local(x), x.device(i), and the collectives

  // The array by its name: of one with copies, the copy of the device that is chosen.
  Pointer here(const Array& array);
  // What device d has of it: a part, a copy, or all of it.
  Pointer part(const Array& array, std::uint32_t device);
  // Of shard(axis) or replicated() as an initial value; nothing spread for any other.
  Spread spread_of(const cell::Declarator& declarator, const std::vector<std::uint64_t>& shape);

 private:
  const Array& spread_array(const cell::Expression& expression, const FunctionCall& of);
  Error no_device(std::string_view number, cell::Span span);
};

}  // namespace xcuda::interpreter
