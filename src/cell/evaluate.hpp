// Scalars by C++'s rules: operators, functions, and a walk over an expression's tree.
//
// Differences from C++, all towards what a device does or what a reader can check: signed integers wrap instead of
// having undefined overflow; division by zero and shifts by a wrong count are errors; a real out of an integer's range
// saturates when it is converted.
#pragma once

#include <functional>
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

// --- expressions ---------------------------------------------------------------------------------------------------

struct ScalarVariable {
  Value value;
  bool is_const = false;
};

// What the walk cannot know by itself. An expression that is no scalar (an array, a struct, a string) ends in
// `other`, which may throw or give a scalar: an element a[i], a member, a function of the session.
class Scope {
 public:
  virtual ~Scope() = default;
  virtual ScalarVariable* find(std::string_view name) = 0;  // null: not a scalar variable
  virtual std::optional<Value> other(const Expression& expression) {
    (void)expression;
    return std::nullopt;
  }
  // Changes what an expression that is no scalar variable names, an element a[i]: reads it, applies change, writes the
  // result. Subscripts are evaluated once.
  struct Change {
    Value before, after;
  };
  virtual std::optional<Change> change(const Expression& target, const std::function<Value(const Value&)>& change) {
    (void)target, (void)change;
    return std::nullopt;
  }
  virtual std::optional<Type> find_type(std::string_view name) { return xcuda::find_type(name); }
  virtual std::vector<std::string> names() const { return {}; }  // to suggest for an unknown name

 protected:
  Scope() = default;
  Scope(const Scope&) = default;
  Scope& operator=(const Scope&) = default;
};

// Throws Error(name, type, value, unsupported) with the place in the source.
Value evaluate(const Expression& expression, Scope& scope, const Source& source);

// Whether an expression's value is built of literals, names, operators, casts and scalar functions alone.
bool is_scalar_form(const Expression& expression);

}  // namespace xcuda::cell
