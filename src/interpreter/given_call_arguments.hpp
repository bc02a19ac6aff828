// The arguments of calls and constructors.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrays/array_node.hpp"
#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"

namespace xcuda::interpreter {

std::vector<const cell::Expression*> pointers_to(const std::vector<cell::ExpressionPtr>& expressions);
std::vector<const cell::Expression*> pointers_to(const std::vector<cell::Argument>& arguments);

// The arguments of functions of the language. Errors: type, name, value.
class CallArguments : public Part {
 public:
  explicit CallArguments(Frame& frame) : Part(frame) {}

  language::Bound bound(const FunctionCall& of) const;  // by its parameters
  ArrayNodePtr array(const cell::Expression& expression, const FunctionCall& of);
  ArrayNodePtr array(const Value& value, const cell::Expression& expression, const FunctionCall& of);
  // The number of an axis, less than the rank of x; nothing where it is not given.
  std::optional<std::size_t> axis(const cell::Expression* axis, const ArrayNode& x);
  // A function of device code, a function of <cmath>, a lambda or a function object, as the device calls it.
  std::string function(const cell::Expression& expression);
  bool is_math(std::string_view function);  // of xcuda::math, unless a cell's function has its name
};

}  // namespace xcuda::interpreter
