// Bytes of elements from their text: numbers, lists in braces, values of the type itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/type.hpp"
#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

// Errors of all functions: type, value (an integer that its type cannot hold).
class Elements : public Part {
 public:
  explicit Elements(Frame& frame) : Part(frame) {}

  // One element: a number, a list for vectors and structs, a value of the type itself.
  void read(const cell::Expression& expression, const Type& type, std::span<std::byte> bytes);
  void read(const Value& value, cell::Span span, const Type& type, std::span<std::byte> bytes);
  // A vector, a complex number or a struct from its members in order; those that are not given stay as the bytes are.
  void read_members(const std::vector<const cell::Expression*>& given, const Type& type, std::span<std::byte> bytes,
                    cell::Span span);
  // A whole array from a list, or from one value for all of its elements.
  void read_array(const cell::Expression& expression, const Type& type, const std::vector<std::uint64_t>& shape,
                  std::span<std::byte> bytes);
  // A new array from {1, 2, 3} where an array is taken, with the common type that C++ gives its numbers.
  Pointer array(const cell::List& list, cell::Span span);
  Value value(const cell::Expression& expression, const Type& type);
  Value value(const Value& value, cell::Span span, const Type& type);
  void store(const language::ScalarValue& value, const Type& type, cell::Span span, std::span<std::byte> bytes);

 private:
  void rows(const cell::List& list, const Type& type, std::span<const std::uint64_t> shape, std::span<std::byte> bytes);
};

}  // namespace xcuda::interpreter
