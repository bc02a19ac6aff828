// assert(condition): a condition that does not hold ends the cell, and says what was compared with what.
#include <fmt/format.h>

#include <algorithm>

#include "arrays/array_node.hpp"
#include "interpreter/executor.hpp"
#include "interpreter/operators.hpp"

namespace xcuda::interpreter {
namespace {

bool is_comparison(const cell::Expression& expression) {
  static constexpr std::string_view kComparisons[] = {"==", "!=", "<", ">", "<=", ">="};
  const auto* binary = std::get_if<cell::Binary>(&expression.node);
  return binary != nullptr &&
         std::find(std::begin(kComparisons), std::end(kComparisons), binary->op) != std::end(kComparisons);
}

// What says its own value needs no line that repeats it.
bool is_literal(const cell::Expression& expression) {
  const auto* unary = std::get_if<cell::Unary>(&expression.node);
  if (unary != nullptr && unary->op == "-") return is_literal(*unary->operand);
  return std::holds_alternative<cell::IntegerLiteral>(expression.node) ||
         std::holds_alternative<cell::FloatingLiteral>(expression.node) ||
         std::holds_alternative<cell::BoolLiteral>(expression.node) ||
         std::holds_alternative<cell::CharLiteral>(expression.node);
}

}  // namespace

void Executor::assert_true(const cell::Call& call, cell::Span span) {
  if (call.arguments.size() != 1)
    throw error(ErrorKind::type, "assert takes one condition", span)
        .advise("A text goes with it as in C++: assert(x > 0 && \"x is positive\");");
  session_.synchronize();  // what was launched before comes first, with its own errors
  const auto& condition = *call.arguments[0].value;
  std::vector<std::string> notes;
  const auto value = condition_value(condition, notes);
  if (is_array(value)) return assert_all(node_of(value, condition), condition, span);
  if (std::get<cell::Value>(value).truth()) return;
  auto failure =
      error(ErrorKind::assertion, fmt::format("assert({}) failed", snippet(run_.source, condition.span)), span);
  failure.notes = std::move(notes);
  throw failure;
}

// A truth, or an array of them; when it is false the notes say why. Each part is evaluated once, and as far as C++
// would.
Value Executor::condition_value(const cell::Expression& condition, std::vector<std::string>& notes) {
  const auto note = [&](const cell::Expression& side, const Value& value) {
    const auto* number = std::get_if<cell::Value>(&value);
    if (!is_literal(side))
      notes.push_back(fmt::format("{} is {}", snippet(run_.source, side.span),
                                  number != nullptr ? number->text() : display::plain(bundle(value))));
  };
  if (const auto* text = std::get_if<cell::StringLiteral>(&condition.node)) {
    notes.insert(notes.begin(), text->value);
    return cell::Value::of(true);
  }
  const auto* binary = std::get_if<cell::Binary>(&condition.node);
  if (binary != nullptr && (binary->op == "&&" || binary->op == "||")) {
    const bool both = binary->op == "&&";
    const auto* text = std::get_if<cell::StringLiteral>(&binary->right->node);
    const auto left = condition_value(*binary->left, notes);
    if (!is_array(left)) {
      if (std::get<cell::Value>(left).truth() == both) return condition_value(*binary->right, notes);
      if (both && text != nullptr) notes.insert(notes.begin(), text->value);
      return left;
    }
    if (both && text != nullptr) return left;
    const auto right = condition_value(*binary->right, notes);
    return combine(ArrayNode::Kind::binary, binary->op, {node_of(left, *binary->left), node_of(right, *binary->right)},
                   condition.span);
  }
  if (is_comparison(condition)) {
    const auto left = evaluate(*binary->left), right = evaluate(*binary->right);
    auto result = frame_.operators.computed(*binary, left, right, condition.span);
    if (is_array(result)) return result;
    const auto truth = number(result, condition.span, "the condition");
    if (!truth.truth()) note(*binary->left, left), note(*binary->right, right);
    return truth;
  }
  asserted_ = std::get_if<cell::Call>(&condition.node);
  asserted_text_ = &condition;
  auto value = evaluate(condition);
  asserted_ = nullptr;
  if (is_array(value)) return value;
  const auto single = number(value, condition.span, "the condition");
  if (!single.truth()) note(condition, single);
  return single;
}

}  // namespace xcuda::interpreter
