// Names declared T*: where they point, and C++'s operators on them. They point to an array, from there to its end.
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
  void declare(const cell::Declaration& declaration, const cell::Declarator& declarator, const Pointer& to,
               cell::Span span);  // auto p = &x[2];
  // A null pointer, or a Pointer to what is left of its array now. Errors: value (it was freed).
  Value value(const std::string& name, const Pointer& held, cell::Span span);
  Value assign(const std::string& name, Variable& variable, const Value& value, const cell::Expression& expression);
  // Assigns to a pointer. Memory without a name gets that of the first pointer that takes it.
  void assign(const std::string& name, Variable& variable, Pointer to, cell::Span span);

  // The pointee of T** p in a function that is given &x: x, under a name that no cell can write. Otherwise null.
  const cell::Expression* pointee(const cell::Expression& pointer);

  // The value of a pointer in memory, or in a struct. Nothing where that is not memory of the session.
  std::optional<Value> in_memory(const Type& type, std::span<const std::byte> bytes);
  // The elements that a pointer in memory points to; other places as they are. Error(value): it is null, or was freed.
  Pointer followed(Pointer place, cell::Span span);

  // Applies an operator if a side is such a name; nothing otherwise.
  std::optional<Value> operate(cell::BinaryOperator op, const Value& left, const Value& right, cell::Span span);
  static std::optional<bool> truth(const Value& value);
  // The address of x, &x[i], p + n, x + n as in C++, whatever x is declared as.
  Pointer of(const cell::Expression& expression);
  bool is_moved_array(const cell::Expression& expression) const;  // x + n of an array x
  // The value that a pointer gets: x + n is a pointer, other expressions are what they are elsewhere.
  Value given(const cell::Expression& expression);

  Pointer moved(const Pointer& pointer, std::int64_t elements, cell::Span span);  // within its array
 private:
  bool declare_alias(const cell::Declarator& declarator);
  std::optional<Pointer> current(Pointer pointer) const;

  std::unordered_map<const cell::Expression*, cell::ExpressionPtr> pointees_;  // the trees outlive this
};

}  // namespace xcuda::interpreter
