#include "interpreter/scalars.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/host_constants.hpp"
#include "interpreter/session_names.hpp"
#include "language/complaints.hpp"
#include "language/constants.hpp"
#include "language/functions.hpp"
#include "session/textures.hpp"

namespace xcuda::interpreter {

cell::Value Scalars::number(const Value& value, cell::Span span, std::string_view what) {
  if (const auto* scalar = std::get_if<cell::Value>(&value)) return *scalar;
  throw language::number_expected(frame_.text, form_of(value), span, what);
}

cell::Value Scalars::number(const cell::Expression& expression, std::string_view what) {
  if (const auto known = by_program(expression)) return *known;
  return number(evaluate(expression), expression.span, what);
}

bool Scalars::truth(const cell::Expression& condition) {
  if (const auto known = by_program(condition)) return known->truth();
  return truth(evaluate(condition), condition.span);
}

bool Scalars::truth(const Value& value, cell::Span span) {
  if (std::holds_alternative<std::string>(value)) return true;
  if (std::holds_alternative<NullPointer>(value)) return false;
  return number(value, span, "a condition").truth();
}

std::optional<cell::Value> Scalars::by_program(const cell::Expression& expression) {
  if (const auto* name = std::get_if<cell::Name>(&expression.node)) {
    const auto* variable = session_.names().find(name->text);
    const auto* value = variable == nullptr ? nullptr : std::get_if<cell::Value>(&variable->value);
    return value == nullptr ? std::nullopt : std::optional(*value);
  }
  const auto [known, fresh] = programs_.try_emplace(&expression);
  if (fresh) {
    auto made =
        ScalarProgram::make(expression, session_.names(), [&](const std::string& name) -> std::optional<cell::Value> {
          if (session_.arrays().find(name) != nullptr) return std::nullopt;
          const auto constant = host_constant(session_, run_.sink, name);
          const bool fixed = constant && constant->kind == HostConstant::Kind::fixed;
          const auto* value = fixed ? std::get_if<cell::Value>(&constant->value) : nullptr;
          return value == nullptr ? std::nullopt : std::optional(*value);
        });
    programs_[&expression] = made;  // found again: making it may have asked for others
    return made ? made->run(session_.names(), frame_.text, stack_) : std::nullopt;
  }
  return known->second ? known->second->run(session_.names(), frame_.text, stack_) : std::nullopt;
}

std::optional<cell::Kind> Scalars::kind_of(const cell::Expression& expression) {
  if (std::holds_alternative<cell::BoolLiteral>(expression.node)) return cell::Kind::boolean;
  if (std::holds_alternative<cell::CharLiteral>(expression.node)) return cell::Kind::char8;
  if (const auto* literal = std::get_if<cell::IntegerLiteral>(&expression.node))
    return cell::Value::literal(*literal).kind();
  if (const auto* literal = std::get_if<cell::FloatingLiteral>(&expression.node))
    return cell::Value::literal(*literal).kind();
  if (const auto* name = std::get_if<cell::Name>(&expression.node)) {
    const auto* variable = session_.names().find(name->text);
    if (variable == nullptr && session_.arrays().find(name->text) == nullptr &&
        !session_.variables().find(name->text)) {
      if (const auto constant = host_constant(session_, run_.sink, name->text)) {
        const auto* number = std::get_if<cell::Value>(&constant->value);
        return number == nullptr ? std::nullopt : std::optional(number->kind());
      }
      const auto known = cell::known_constant(name->text);
      return known ? std::optional(known->kind()) : std::nullopt;
    }
    const auto* number = variable == nullptr ? nullptr : std::get_if<cell::Value>(&variable->value);
    return number == nullptr ? std::nullopt : std::optional(number->kind());
  }
  if (std::holds_alternative<cell::SizeOf>(expression.node)) return cell::Kind::ulong64;
  if (const auto* call = std::get_if<cell::Call>(&expression.node)) {
    const auto* name = std::get_if<cell::Name>(&call->callee->node);
    const auto function = name == nullptr || session_.code().program().is_function(name->text)
                              ? std::nullopt
                              : language::find_function(name->text);
    std::vector<cell::Kind> kinds;
    for (const auto& argument : call->arguments) {
      const auto kind = kind_of(*argument.value);
      if (!kind) return std::nullopt;
      kinds.push_back(*kind);
    }
    return function ? language::type_of_call(*function, kinds) : std::nullopt;
  }
  if (const auto* member = std::get_if<cell::Member>(&expression.node)) {
    const auto* base = std::get_if<cell::Name>(&member->base->node);
    const auto* variable = base == nullptr ? nullptr : session_.names().find(base->text);
    if (variable == nullptr) return std::nullopt;
    return std::holds_alternative<device::Dim3>(variable->value) ? std::optional(cell::Kind::uint32) : std::nullopt;
  }
  if (const auto* index = std::get_if<cell::Index>(&expression.node)) {
    const auto* name = std::get_if<cell::Name>(&index->base->node);
    const auto* array = name == nullptr ? nullptr : session_.arrays().find(name->text);
    const auto one = [](const cell::Subscript& subscript) { return !subscript.slice; };
    const bool element = array != nullptr && index->subscripts.size() == array->shape.size() &&
                         std::all_of(index->subscripts.begin(), index->subscripts.end(), one);
    return element ? cell::kind_of(array->type) : std::nullopt;
  }
  if (const auto* binary = std::get_if<cell::Binary>(&expression.node)) {
    const auto left = kind_of(*binary->left), right = kind_of(*binary->right);
    return left && right ? language::result_kind(binary->op, *left, *right) : std::nullopt;
  }
  if (const auto* unary = std::get_if<cell::Unary>(&expression.node)) {
    if (unary->op == cell::UnaryOperator::pointee || unary->op == cell::UnaryOperator::address) return std::nullopt;
    const auto operand = kind_of(*unary->operand);
    return operand ? language::result_kind(unary->op, *operand) : operand;
  }
  if (const auto* ternary = std::get_if<cell::Ternary>(&expression.node)) {
    const auto yes = kind_of(*ternary->yes), no = kind_of(*ternary->no);
    if (!yes || !no) return std::nullopt;
    return *yes == *no ? *yes : cell::common_kind(*yes, *no);
  }
  if (const auto* assignment = std::get_if<cell::Assignment>(&expression.node)) return kind_of(*assignment->target);
  if (const auto* cast = std::get_if<cell::Cast>(&expression.node))
    if (const auto type = xcuda::find_type(cast->type)) return cell::kind_of(*type);
  return std::nullopt;
}

}  // namespace xcuda::interpreter
