#include "interpreter/host/loop_passes.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

namespace xcuda::interpreter {
namespace {

using cell::BinaryOperator;
using cell::UnaryOperator;

const std::string* name_of(const cell::ExpressionPtr& expression) {
  const auto* name = expression != nullptr ? std::get_if<cell::Name>(&expression->node) : nullptr;
  return name != nullptr ? &name->text : nullptr;
}

// The value of literals, names and their + - * /: evaluating these twice changes nothing.
std::optional<double> number_of(const cell::Expression& expression, const KnownNumber& known) {
  if (const auto* literal = std::get_if<cell::IntegerLiteral>(&expression.node))
    return static_cast<double>(literal->value);
  if (const auto* literal = std::get_if<cell::FloatingLiteral>(&expression.node)) return literal->value;
  if (const auto* name = std::get_if<cell::Name>(&expression.node)) return known(name->text);
  if (const auto* unary = std::get_if<cell::Unary>(&expression.node); unary && unary->op == UnaryOperator::minus) {
    const auto value = number_of(*unary->operand, known);
    return value ? std::optional(-*value) : std::nullopt;
  }
  const auto* binary = std::get_if<cell::Binary>(&expression.node);
  if (binary == nullptr) return std::nullopt;
  const auto left = number_of(*binary->left, known), right = number_of(*binary->right, known);
  if (!left || !right) return std::nullopt;
  switch (binary->op) {
    case BinaryOperator::add: return *left + *right;
    case BinaryOperator::subtract: return *left - *right;
    case BinaryOperator::multiply: return *left * *right;
    case BinaryOperator::divide: return *right != 0 ? std::optional(std::trunc(*left / *right)) : std::nullopt;
    default: return std::nullopt;
  }
}

// By how much a pass moves the variable: 1 of ++i, -2 of i -= 2.
std::optional<double> step_of(const cell::Expression& step, const std::string& variable, const KnownNumber& known) {
  if (const auto* unary = std::get_if<cell::Unary>(&step.node)) {
    const auto* name = name_of(unary->operand);
    if (name == nullptr || *name != variable) return std::nullopt;
    if (unary->op == UnaryOperator::increment || unary->op == UnaryOperator::increment_after) return 1;
    if (unary->op == UnaryOperator::decrement || unary->op == UnaryOperator::decrement_after) return -1;
    return std::nullopt;
  }
  const auto* assignment = std::get_if<cell::Assignment>(&step.node);
  if (assignment == nullptr || !assignment->op) return std::nullopt;
  const auto* name = name_of(assignment->target);
  if (name == nullptr || *name != variable) return std::nullopt;
  const auto by = number_of(*assignment->value, known);
  if (by && *assignment->op == BinaryOperator::add) return by;
  if (by && *assignment->op == BinaryOperator::subtract) return -*by;
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> passes_of(const cell::For& loop, const KnownNumber& known) {
  if (loop.condition == nullptr || loop.step == nullptr) return std::nullopt;
  const auto* condition = std::get_if<cell::Binary>(&loop.condition->node);
  const auto* variable = condition != nullptr ? name_of(condition->left) : nullptr;
  if (variable == nullptr) return std::nullopt;
  const auto begin = known(*variable), end = number_of(*condition->right, known),
             step = step_of(*loop.step, *variable, known);
  if (!begin || !end || !step || *step == 0) return std::nullopt;
  const bool rises = *step > 0;
  double distance = (*end - *begin) / *step;  // in steps
  switch (condition->op) {
    case BinaryOperator::less:
    case BinaryOperator::at_most:
      if (!rises) return std::nullopt;
      break;
    case BinaryOperator::greater:
    case BinaryOperator::at_least:
      if (rises) return std::nullopt;
      break;
    case BinaryOperator::different: break;
    default: return std::nullopt;
  }
  const bool inclusive = condition->op == BinaryOperator::at_most || condition->op == BinaryOperator::at_least;
  distance = inclusive ? std::floor(distance) + 1 : std::ceil(distance);
  constexpr double kMost = 1e15;  // above it a double cannot count one by one
  if (!(distance <= kMost)) return std::nullopt;
  return static_cast<std::uint64_t>(std::max(distance, 0.0));
}

}  // namespace xcuda::interpreter
