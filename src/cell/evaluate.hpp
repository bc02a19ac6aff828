// Scalars by C++'s rules: operators, functions and constants.
//
// Differences from C++, all towards what a device does or what a reader can check: signed integers wrap instead of
// having undefined overflow; division by zero and shifts by a wrong count are errors; a real out of an integer's range
// saturates when it is converted.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cell/lexer.hpp"
#include "cell/tree.hpp"
#include "cell/value.hpp"

namespace xcuda::cell {

// The place of an operation, worked out only when it fails. Does not own what it is made of.
class Where {
 public:
  Where(const Place& place) : place_(&place) {}  // NOLINT: meant to convert
  Where(const Source& source, Span span) : source_(&source), span_(span) {}
  Place get() const { return place_ ? *place_ : source_->place(span_); }

 private:
  const Place* place_ = nullptr;
  const Source* source_ = nullptr;
  Span span_;
};

// op: "+ - * / % << >> & | ^ == != < <= > >= && ||". Errors: type, value (division by zero, shift counts).
Value binary(std::string_view op, const Value& left, const Value& right, const Where& where);
// op: "+ - ! ~".
Value unary(std::string_view op, const Value& operand, const Where& where);

// <cmath>, min, max, clamp, abs, ceil_div and the like, with and without std::, also with C's suffix f. The result's
// type is C++'s: float for floats, double for integers, the common type for min and max.
bool is_scalar_function(std::string_view name);
Value call_scalar_function(std::string_view name, std::span<const Value> arguments, const Where& where);
std::vector<std::string> scalar_functions();
// std::numeric_limits<float>::max() and the like, by the function's name.
std::optional<Value> numeric_limit(std::string_view name);

// M_PI, INFINITY, INT_MAX, FLT_EPSILON, ...
std::optional<Value> known_constant(std::string_view name);

}  // namespace xcuda::cell
