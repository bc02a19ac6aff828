#include "interpreter/assertions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arrays/array_math.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/operator_expressions.hpp"
#include "interpreter/results.hpp"

namespace xcuda::interpreter {
namespace {

bool is_comparison(const cell::Expression& expression) {
  const auto* binary = std::get_if<cell::Binary>(&expression.node);
  return binary != nullptr && cell::is_comparison(binary->op);
}

// What says its own value needs no line that repeats it.
bool is_literal(const cell::Expression& expression) {
  const auto* unary = std::get_if<cell::Unary>(&expression.node);
  if (unary != nullptr && unary->op == cell::UnaryOperator::minus) return is_literal(*unary->operand);
  return std::holds_alternative<cell::IntegerLiteral>(expression.node) ||
         std::holds_alternative<cell::FloatingLiteral>(expression.node) ||
         std::holds_alternative<cell::BoolLiteral>(expression.node) ||
         std::holds_alternative<cell::CharLiteral>(expression.node);
}

std::string index_text(std::uint64_t linear, const Shape& shape) {
  std::string text;
  for (auto d = shape.size(); d-- > 0;) {
    text = fmt::format("{}{}{}", linear % shape[d], text.empty() ? "" : ", ", text);
    linear /= shape[d];
  }
  return fmt::format("[{}]", text);
}

std::uint64_t whole_number(const Value& value) {
  const auto* number = std::get_if<language::ScalarValue>(&value);
  return number == nullptr ? 0 : number->as_unsigned();
}

}  // namespace

void Assertions::check(const cell::Call& call, cell::Span span) {
  if (call.arguments.size() != 1)
    throw error(ErrorKind::type, "assert takes one condition", span)
        .advise("To add a message: assert(x > 0 && \"x is positive\");");
  session_.submission().synchronize();  // what was launched before comes first, with its own errors
  const auto& condition = *call.arguments[0].value;
  std::vector<std::string> notes;
  const auto value = this->value(condition, notes);
  if (is_array(value)) return check_all(frame_.array_expressions.node_of(value, condition), condition, span);
  if (std::get<language::ScalarValue>(value).truth()) return;
  auto failure =
      error(ErrorKind::assertion, fmt::format("assert({}) failed", snippet(run_.source, condition.span)), span);
  failure.notes = std::move(notes);
  throw failure;
}

Value Assertions::value(const cell::Expression& condition, std::vector<std::string>& notes) {
  const auto note = [&](const cell::Expression& side, const Value& value) {
    const auto* number = std::get_if<language::ScalarValue>(&value);
    if (!is_literal(side))
      notes.push_back(fmt::format("{} is {}", snippet(run_.source, side.span),
                                  number != nullptr ? number->text() : display::plain(frame_.results.bundle(value))));
  };
  if (const auto* text = std::get_if<cell::StringLiteral>(&condition.node)) {
    notes.insert(notes.begin(), text->value);
    return language::ScalarValue::of(true);
  }
  const auto* binary = std::get_if<cell::Binary>(&condition.node);
  if (binary != nullptr && cell::is_logical(binary->op)) {
    const bool both = binary->op == cell::BinaryOperator::logical_and;
    const auto* text = std::get_if<cell::StringLiteral>(&binary->right->node);
    auto left = value(*binary->left, notes);
    if (!is_array(left)) {
      if (std::get<language::ScalarValue>(left).truth() == both) return value(*binary->right, notes);
      if (both && text != nullptr) notes.insert(notes.begin(), text->value);
      return left;
    }
    if (both && text != nullptr) return left;
    const auto right = value(*binary->right, notes);
    return ArrayExpression{frame_.array_expressions.combine(binary->op,
                                                            {frame_.array_expressions.node_of(left, *binary->left),
                                                             frame_.array_expressions.node_of(right, *binary->right)},
                                                            condition.span)};
  }
  if (is_comparison(condition)) {
    const auto left = evaluate(*binary->left), right = evaluate(*binary->right);
    auto result = frame_.operator_expressions.computed(*binary, left, right, condition.span);
    if (is_array(result)) return result;
    const auto truth = number(result, condition.span, "the condition");
    if (!truth.truth()) note(*binary->left, left), note(*binary->right, right);
    return truth;
  }
  asserted_ = std::get_if<cell::Call>(&condition.node);
  asserted_text_ = &condition;
  auto value = evaluate(condition);
  asserted_ = nullptr;
  if (const auto points = Addresses::truth(value)) {
    if (!*points) note(condition, value);
    return language::ScalarValue::of(*points);
  }
  if (is_array(value)) return value;
  const auto single = number(value, condition.span, "the condition");
  if (!single.truth()) note(condition, single);
  return single;
}

bool Assertions::all_close(const FunctionCall& of) {
  const auto given = frame_.call_arguments.bound(of);
  const auto span = of.span;
  const auto left = evaluate(*given[0]), right = evaluate(*given[1]);
  const auto a = frame_.array_expressions.node_of(left, *given[0]),
             b = frame_.array_expressions.node_of(right, *given[1]);
  const double relative = given[2] != nullptr ? number(*given[2], "rtol").as_real() : 1e-5;
  const double absolute = given[3] != nullptr ? number(*given[3], "atol").as_real() : 1e-8;
  const auto node = frame_.array_expressions.combine(ArrayNode::Kind::function, "xcuda::close_term",
                                                     {a, b, scalar_node(language::ScalarValue::of(relative), span),
                                                      scalar_node(language::ScalarValue::of(absolute), span)},
                                                     span);
  if (node->shape.empty()) return number(frame_.array_expressions.number_or_array(node), span, "allclose()").truth();
  const auto holding = whole_number(frame_.array_expressions.reduced(node, "CountOf"));
  const auto count = count_of(node->shape);
  if (holding == count) return true;
  if (asserted_ == &of.call)
    fail_worst({given[0], given[1], a, b, node}, count - holding, *asserted_text_, asserted_text_->span);
  return false;
}

void Assertions::fail_worst(const Worst& worst, std::uint64_t wrong, const cell::Expression& condition,
                            cell::Span span) {
  const auto count = count_of(worst.holds->shape);
  auto failure = error(
      ErrorKind::assertion,
      fmt::format("assert({}) failed: {} of {} elements", snippet(run_.source, condition.span), wrong, count), span);
  std::uint64_t at = 0;
  if (worst.left != nullptr) {
    const auto distance = frame_.array_expressions.combine(ArrayNode::Kind::function, "xcuda::violation_term",
                                                           {worst.left, worst.right, worst.holds}, span);
    at = whole_number(frame_.array_expressions.reduced(distance, "ArgMax"));
    failure.notes.push_back(fmt::format("the worst is {}", index_text(at, worst.holds->shape)));
    const auto note = [&](const ArrayNodePtr& side, const cell::Expression& text) {
      if (side->shape.empty()) return;  // a number is visible in the condition itself
      const auto whole =
          frame_.arrays.evaluate(apply_node(cell::UnaryOperator::plus, {side}, worst.holds->shape, side->span));
      auto one = whole;
      one.address += at * whole.type.size;
      const auto value = frame_.array_expressions.number_of(one);
      const auto* number = std::get_if<language::ScalarValue>(&value);
      if (number != nullptr)
        failure.notes.push_back(fmt::format("{} is {} there", snippet(run_.source, text.span), number->text()));
    };
    note(worst.left, *worst.left_text);
    note(worst.right, *worst.right_text);
  } else {
    at = whole_number(frame_.array_expressions.reduced(worst.holds, "ArgMin"));
    failure.notes.push_back(fmt::format("the first is {}", index_text(at, worst.holds->shape)));
  }
  throw failure;
}

void Assertions::check_all(const ArrayNodePtr& condition, const cell::Expression& expression, cell::Span span) {
  const auto holding = whole_number(frame_.array_expressions.reduced(condition, "CountOf"));
  const auto count = count_of(condition->shape);
  if (holding == count) return;
  const auto* comparison = std::get_if<cell::Binary>(&expression.node);
  const bool measured = condition->kind == ArrayNode::Kind::binary && is_comparison(expression) &&
                        comparison->op != cell::BinaryOperator::different;
  Worst worst{nullptr, nullptr, nullptr, nullptr, condition};
  if (measured)
    worst = {comparison->left.get(), comparison->right.get(), condition->inputs[0], condition->inputs[1], condition};
  fail_worst(worst, count - holding, expression, span);
}

}  // namespace xcuda::interpreter
