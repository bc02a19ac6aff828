// The operators of numbers, by C++'s rules.
//
// Differences from C++, all towards what a device does or what a reader can check: signed integers wrap instead of
// having undefined overflow; division by zero and shifts by a wrong count are errors; a real out of an integer's range
// saturates when it is converted.
#pragma once

#include <optional>

#include "base/error.hpp"
#include "cell/lexer.hpp"
#include "cell/tree.hpp"
#include "language/scalar_value.hpp"

namespace xcuda::language {

// The place of an operation, worked out only when it fails. Does not own what it is made of.
class Where {
 public:
  Where(const Place& place) : place_(&place) {}  // NOLINT: meant to convert
  Where(const cell::Source& source, cell::Span span) : source_(&source), span_(span) {}
  Place get() const { return place_ ? *place_ : source_->place(span_); }

 private:
  const Place* place_ = nullptr;
  const cell::Source* source_ = nullptr;
  cell::Span span_;
};

using cell::BinaryOperator;
using cell::UnaryOperator;

// The kind of the result; nothing where C++ has no such operator for numbers.
std::optional<Kind> result_kind(BinaryOperator op, Kind left, Kind right);
std::optional<Kind> result_kind(UnaryOperator op, Kind operand);
Error undefined_operator(BinaryOperator op, Kind left, Kind right);
Error undefined_operator(UnaryOperator op, Kind operand);

// Evaluates all operators but the comma. Errors: type, value (division by zero, shift counts).
ScalarValue binary(BinaryOperator op, const ScalarValue& left, const ScalarValue& right, const Where& where);
ScalarValue unary(UnaryOperator op, const ScalarValue& operand, const Where& where);  // + - ! ~

}  // namespace xcuda::language
