// What statements write to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "arrays/selection.hpp"
#include "base/type.hpp"
#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/members.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

// A variable, a part of a dim3, a part of a struct of the host, an element or a member of one on the device, elements
// that arrays of indices choose.
using Target = std::variant<Variable*, std::uint32_t*, HostPart, Pointer, Selection>;

class Targets : public Part {
 public:
  explicit Targets(Frame& frame) : Part(frame) {}

  Target of(const cell::Expression& expression);
  Value load(const Target& target);
  Value load(const Type& type, std::span<const std::byte> bytes) const;
  Value store(const Target& target, const Value& value, cell::Span span);  // converted; the span is the value's
  Type type_of(const Target& target) const;                                // of what it holds, for a list in braces
  // An array as a pointer in memory: float* of an array of float, void* of any. type: the pointer's.
  std::vector<std::byte> address_of(const Value& value, const Type& type, cell::Span span);
  std::vector<std::byte> number_of_function(const Value& value, cell::Span span);  // 0 for nullptr
  std::vector<std::byte> bytes_of(const Value& value, const Type& type, cell::Span span);

 private:
  bool is_of_pointer(const Pointer& view, const cell::Expression& expression);
  void write_element(const Pointer& pointer, std::span<const std::byte> bytes);
};

}  // namespace xcuda::interpreter
