#include "interpreter/given_call_arguments.hpp"

#include <fmt/format.h>

#include "arrays/function_object.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/lookup.hpp"
#include "language/complaints.hpp"
#include "language/functions.hpp"

namespace xcuda::interpreter {

std::vector<const cell::Expression*> pointers_to(const std::vector<cell::ExpressionPtr>& expressions) {
  std::vector<const cell::Expression*> pointers;
  pointers.reserve(expressions.size());
  for (const auto& one : expressions) pointers.push_back(one.get());
  return pointers;
}

std::vector<const cell::Expression*> pointers_to(const std::vector<cell::Argument>& arguments) {
  std::vector<const cell::Expression*> pointers;
  pointers.reserve(arguments.size());
  for (const auto& one : arguments) pointers.push_back(one.value.get());
  return pointers;
}

language::Bound CallArguments::bound(const FunctionCall& of) const {
  return language::bind_arguments(frame_.text, of.row(), of.call, of.span);
}

ArrayNodePtr CallArguments::array(const cell::Expression& expression, const FunctionCall& of) {
  return array(evaluate(expression), expression, of);
}

ArrayNodePtr CallArguments::array(const Value& value, const cell::Expression& expression, const FunctionCall& of) {
  auto node = frame_.array_expressions.node_if_array(value, expression);
  if (node == nullptr) throw language::array_expected(frame_.text, of.row().name, expression.span);
  return node;
}

std::optional<std::size_t> CallArguments::axis(const cell::Expression* axis, const ArrayNode& x) {
  if (axis == nullptr) return std::nullopt;
  const auto value = number(*axis, "axis");
  const auto rank = x.shape.size();
  const auto end = static_cast<std::int64_t>(rank);
  if (value.is_integer() && value.is_negative() && value.as_signed() >= -end)
    return static_cast<std::size_t>(value.as_signed() + end);
  if (!value.is_integer() || value.is_negative() || value.as_unsigned() >= rank)
    throw error(ErrorKind::value,
                fmt::format("axis is {}, and {} has {} ax{}: 0{}", value.text(), snippet(run_.source, x.span), rank,
                            rank == 1 ? "is" : "es in all", rank == 1 ? "" : fmt::format(" to {}", rank - 1)),
                axis->span);
  return value.as_unsigned();
}

bool CallArguments::is_math(std::string_view function) {
  return !session_.code().program().is_function(function) && language::is_element_function(function);
}

std::string CallArguments::function(const cell::Expression& expression) {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  if (name != nullptr && (session_.code().program().is_function(name->text) ||
                          language::is_element_function(name->text) || language::is_device_intrinsic(name->text)))
    return name->text;
  if (auto object = function_object(expression);
      !object.text.empty() &&
      (object.type.empty() || frame_.lookup.is_type(object.type.substr(0, object.type.find('<')))))
    return std::move(object.text);
  throw error(ErrorKind::name,
              fmt::format("{} is not a function of device code", snippet(run_.source, expression.span)),
              expression.span)
      .advise(
          "Define it, __device__ float f(float a, float b) { return ...; }, or write it here: [](float a, float b) { "
          "return ...; }");
}

}  // namespace xcuda::interpreter
