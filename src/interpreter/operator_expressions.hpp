// Operators, casts and sizeof: numbers on the host by C++'s rules, arrays and structs on the device.
#pragma once

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class OperatorExpressions : public Part {
 public:
  explicit OperatorExpressions(Frame& frame) : Part(frame) {}

  Value unary(const cell::Unary& unary, const cell::Expression& expression);
  Value binary(const cell::Binary& binary, cell::Span span);
  // The value of an operator that evaluates both sides, from their values.
  Value computed(const cell::Binary& binary, const Value& left, const Value& right, cell::Span span);
  Value ternary(const cell::Ternary& ternary, const cell::Expression& expression);
  Value cast(const cell::Cast& cast, cell::Span span);
  Value size_of(const cell::SizeOf& size, cell::Span span);

 private:
  std::optional<Type> pointee_of(const cell::Expression& expression);
  Value address(const cell::Unary& unary, cell::Span span);
  Value step(const cell::Unary& unary, cell::Span span);  // ++ and --
  Value logical(const cell::Binary& binary, cell::Span span);
  Value pointer_cast(const cell::Cast& cast, cell::Span span);
  Value number_of_address(const cell::Cast& cast, const Value& value, const Type& type, cell::Span span);
  Value of_addresses(cell::BinaryOperator op, const Pointer& left, const Pointer& right, cell::Span span);
};

}  // namespace xcuda::interpreter
