// Names declared T*: where they point, and C++'s operators on them. What they point to is an array from there to its
// end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "interpreter/frame.hpp"

namespace xcuda::interpreter {

class Addresses : public Part {
 public:
  explicit Addresses(Frame& frame) : Part(frame) {}

  void declare(const cell::Declaration& declaration, const cell::Declarator& declarator);
  // A null pointer, or a Pointer to what is left of its array now. Errors: value (it was freed).
  Value value(const std::string& name, const Pointer& held, cell::Span span);
  Value assign(const std::string& name, Variable& variable, const Value& value, const cell::Expression& expression);
  // The first name that memory gets is that of the pointer which takes it.
  void assign(const std::string& name, Variable& variable, Pointer to, cell::Span span);

  // Of T** p in a function that is given &x: x, under a name that no cell can write. Null for all else.
  const cell::Expression* pointee(const cell::Expression& pointer);

  // What a pointer in memory, or in a struct, holds. Nothing where that is not memory of the session.
  std::optional<Value> in_memory(const Type& type, std::span<const std::byte> bytes);
  // The elements that a pointer in memory points to; all else as it is. Error(value): it is null, or was freed.
  Pointer followed(Pointer place, cell::Span span);

  // Where a side is such a name; nothing elsewhere.
  std::optional<Value> operate(cell::BinaryOperator op, const Value& left, const Value& right, cell::Span span);
  static std::optional<bool> truth(const Value& value);
  // x, &x[i], p + n, x + n: as C++ takes it, whatever x is declared as.
  Pointer of(const cell::Expression& expression);
  bool is_moved_array(const cell::Expression& expression) const;  // x + n of an array x
  // What a pointer is given: x + n is a pointer, all else what it is elsewhere.
  Value given(const cell::Expression& expression);

 private:
  Pointer moved(const Pointer& pointer, std::int64_t elements, cell::Span span);
  std::optional<Pointer> current(Pointer pointer) const;

  std::unordered_map<const cell::Expression*, cell::ExpressionPtr> pointees_;  // the trees outlive this
};

}  // namespace xcuda::interpreter
