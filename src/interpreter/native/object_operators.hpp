// Operators and conversions of values of structs that cells define: a + b, ++a, m[i], m(i, j) = v, (float)a. The
// compiler chooses among those that the cells define, so that they are native code as a whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "interpreter/frame.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class NativeArguments;

class ObjectOperators : public Part {
 public:
  explicit ObjectOperators(Frame& frame) : Part(frame) {}

  // Whether its value is one of a cell's struct. What is computed need not be known before it runs.
  bool is_struct(const cell::Expression& expression);
  // m[i], m(i, j), m.at(i): what may be a place within a struct, as text of native code; empty for anything else.
  std::string place(const cell::Expression& expression, NativeArguments& arguments);

  // Whether native code gives a reference for it.
  bool gives_native_reference(const cell::Expression& expression);
  // The place that such a reference leads to; nothing for other expressions. Error(value): it is not in memory.
  std::optional<Pointer> referred(const cell::Expression& expression);

  // Counter::total, of a struct that a cell defines; its value.
  bool is_static_member(const std::string& name);
  Value static_member(const std::string& name, cell::Span span);

  // Nothing where no operand is of a struct, or one is an array.
  std::optional<Value> binary(const cell::Binary& binary, cell::Span span);
  std::optional<Value> unary(const cell::Unary& unary, cell::Span span);
  std::optional<Value> subscript(const cell::Index& index, const cell::Expression& expression);
  std::optional<Value> assign(const cell::Assignment& assignment, cell::Span span);
  // A struct as a number, by its conversion operator.
  std::optional<Value> converted(const Value& value, const Type& type, const cell::Expression& expression);

 private:
  bool is_defined(std::string_view op) const;  // by a cell
  bool is_array(const cell::Expression& expression);
  bool is_place(const cell::Expression& expression);
  bool is_reference_function(const cell::Call& call);  // of a compiled function by its name
  bool is_part_of_tuple(const cell::Call& call);
  std::string function_called(const cell::Call& call);
  std::string closure_result(const cell::Call& call);
  void move_operands(const cell::Expression& expression);
  Type struct_of(const cell::Expression& object);
  Type pointee_of(const cell::Expression& pointer);
  // What a reference that native code gives is one to: V of v.add(1) for V& add(int); empty for all else.
  std::string referred_type(const cell::Expression& expression);
};

}  // namespace xcuda::interpreter
