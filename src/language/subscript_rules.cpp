#include "language/subscript_rules.hpp"

namespace xcuda::language {
namespace {

bool is_word(const cell::Subscript& subscript, std::string_view text) {
  const auto* name = subscript.slice ? nullptr : std::get_if<cell::Name>(&subscript.start->node);
  return name != nullptr && name->text == text;
}

}  // namespace

bool is_new_axis(const cell::Subscript& subscript) {
  return is_word(subscript, "newaxis") || is_word(subscript, "None");
}

bool is_ellipsis(const cell::Subscript& subscript) { return is_word(subscript, "..."); }

bool is_fixed(const cell::Expression& expression, const std::function<bool(const std::string&)>& is_constant) {
  if (std::holds_alternative<cell::IntegerLiteral>(expression.node)) return true;
  if (const auto* unary = std::get_if<cell::Unary>(&expression.node))
    return (unary->op == cell::UnaryOperator::minus || unary->op == cell::UnaryOperator::plus) &&
           is_fixed(*unary->operand, is_constant);
  if (const auto* binary = std::get_if<cell::Binary>(&expression.node))
    return is_fixed(*binary->left, is_constant) && is_fixed(*binary->right, is_constant);
  const auto* name = std::get_if<cell::Name>(&expression.node);
  return name != nullptr && is_constant(name->text);
}

}  // namespace xcuda::language
