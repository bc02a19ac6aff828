#include "interpreter/array_expressions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arrays/array_math.hpp"
#include "interpreter/devices/spread_arrays.hpp"
#include "interpreter/places.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {
namespace {

// A literal is part of the kernel as written: another literal makes another kernel.
std::string literal_text(const cell::Expression& expression) {
  if (const auto* integer = std::get_if<cell::IntegerLiteral>(&expression.node)) {
    return std::to_string(integer->value) + (integer->is_unsigned ? "u" : "") + std::string(integer->longs, 'l');
  }
  if (const auto* real = std::get_if<cell::FloatingLiteral>(&expression.node)) {
    auto text = fmt::format("{:.17g}", real->value);
    if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
    if (text.find_first_of("in") != std::string::npos) return {};  // infinity
    return text + (real->single ? "f" : "");
  }
  if (const auto* boolean = std::get_if<cell::BoolLiteral>(&expression.node)) return boolean->value ? "true" : "false";
  return {};
}

}  // namespace

std::string reducer_text(std::string_view reducer) {
  std::string text = "xcuda::";
  return text.append(reducer).append("<xcuda_Own>");
}

bool is_array(const Value& value) {
  if (std::holds_alternative<ArrayExpression>(value)) return true;
  const auto* pointer = std::get_if<Pointer>(&value);
  return pointer != nullptr && !pointer->shape.empty();
}

ArrayNodePtr ArrayExpressions::node_if_array(const Value& value, const cell::Expression& expression) {
  return is_array(value) ? node_of(value, expression) : nullptr;
}

ArrayNodePtr ArrayExpressions::node_of(const Value& value, const cell::Expression& expression) {
  if (const auto* computed = std::get_if<ArrayExpression>(&value)) return computed->node;
  if (const auto* pointer = std::get_if<Pointer>(&value); pointer != nullptr && !pointer->shape.empty())
    return array_node(*pointer, expression.span);
  if (auto text = literal_text(expression); !text.empty()) {
    auto node = std::make_shared<ArrayNode>();
    node->text = std::move(text);
    node->span = expression.span;
    return node;
  }
  if (const auto* object = std::get_if<Object>(&value)) {
    auto node = std::make_shared<ArrayNode>();
    node->kind = ArrayNode::Kind::scalar;
    node->array.type = object->type;
    node->bytes = object->bytes;
    node->span = expression.span;
    return node;
  }
  return scalar_node(number(value, expression.span, "an operand"), expression.span);
}

Shape ArrayExpressions::common_shape(const std::vector<ArrayNodePtr>& inputs, cell::Span span) const {
  Shape shape;
  for (const auto& input : inputs) {
    const auto whole = broadcast(shape, input->shape);
    if (!whole) {
      std::vector<language::Shaped> shapes;
      for (const auto& one : inputs)
        if (!one->shape.empty()) shapes.push_back({one->span, language::Extents(one->shape.begin(), one->shape.end())});
      throw language::shapes_differ(frame_.text, shapes, span);
    }
    shape = *whole;
  }
  return shape;
}

ArrayNodePtr ArrayExpressions::combine(ArrayNode::Kind kind, const std::string& text, std::vector<ArrayNodePtr> inputs,
                                       cell::Span span) {
  auto shape = common_shape(inputs, span);
  return apply_node(kind, text, std::move(inputs), std::move(shape), span);
}

ArrayNodePtr ArrayExpressions::combine(cell::UnaryOperator op, std::vector<ArrayNodePtr> inputs, cell::Span span) {
  auto shape = common_shape(inputs, span);
  return apply_node(op, std::move(inputs), std::move(shape), span);
}

ArrayNodePtr ArrayExpressions::combine(cell::BinaryOperator op, std::vector<ArrayNodePtr> inputs, cell::Span span) {
  auto shape = common_shape(inputs, span);
  return apply_node(op, std::move(inputs), std::move(shape), span);
}

bool has_device_operators(const Value& value) { return is_array(value) || std::holds_alternative<Object>(value); }

Value ArrayExpressions::operate(cell::UnaryOperator op, const Operand& operand, cell::Span span) {
  return number_or_array(combine(op, {node_of(operand.value, operand.expression)}, span));
}

Value ArrayExpressions::operate(cell::BinaryOperator op, const Operand& left, const Operand& right, cell::Span span) {
  return number_or_array(
      combine(op, {node_of(left.value, left.expression), node_of(right.value, right.expression)}, span));
}

Value ArrayExpressions::number_or_array(const ArrayNodePtr& node) {
  return node->shape.empty() ? number_of(frame_.arrays.evaluate(node)) : Value(ArrayExpression{node});
}

Value ArrayExpressions::number_of(Pointer result) {
  result.shape.clear();
  return frame_.places.element(result);
}

// Each device has its part of an array that is split.
Value ArrayExpressions::reduced(ReduceRequest request) {
  if (auto value = frame_.spread_arrays.reduce(request)) return *value;
  request.leaves = ReduceRequest::Leaves::number;
  return number_of(frame_.arrays.reduce(request));
}

Value ArrayExpressions::reduced(ArrayNodePtr node, std::string_view reducer) {
  ReduceRequest request;
  request.node = std::move(node);
  request.reducer = reducer_text(reducer);
  return reduced(std::move(request));
}

Value ArrayExpressions::number_or_elements(Pointer result) {
  return result.shape.empty() ? number_of(std::move(result)) : Value(std::move(result));
}

}  // namespace xcuda::interpreter
