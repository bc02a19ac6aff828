#include "interpreter/scalars.hpp"

#include "interpreter/containers/containers.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host_constants.hpp"
#include "interpreter/native/object_operators.hpp"
#include "interpreter/session_names.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {

language::ScalarValue Scalars::number(const Value& value, cell::Span span, std::string_view what) {
  if (const auto* scalar = std::get_if<language::ScalarValue>(&value)) return *scalar;
  throw language::number_expected(frame_.text, form_of(value), span, what);
}

language::ScalarValue Scalars::number(const cell::Expression& expression, std::string_view what) {
  if (const auto known = by_program(expression)) return *known;
  return number(evaluate(expression), expression.span, what);
}

bool Scalars::truth(const cell::Expression& condition) {
  if (const auto known = by_program(condition)) return known->truth();
  return truth(evaluate(condition), condition);
}

bool Scalars::truth(Value value, const cell::Expression& of, std::string_view what) {
  if (is_closure(value)) return true;  // a std::function that has one
  if (auto converted = frame_.object_operators.converted(value, language::type_of(language::Kind::boolean), of))
    value = std::move(*converted);
  return truth(value, of.span, what);
}

bool Scalars::truth(const Value& value, cell::Span span, std::string_view what) {
  if (std::holds_alternative<std::string>(value)) return true;
  if (const auto points = Addresses::truth(value)) return *points;
  if (const auto has = Containers::has_value(value)) return *has;
  return number(value, span, what).truth();
}

std::optional<language::ScalarValue> Scalars::by_program(const cell::Expression& expression) {
  if (const auto* name = std::get_if<cell::Name>(&expression.node)) {
    const auto* variable = session_.names().find(name->text);
    const auto* value = variable == nullptr ? nullptr : std::get_if<language::ScalarValue>(&variable->value);
    return value == nullptr ? std::nullopt : std::optional(*value);
  }
  if (const auto* literal = std::get_if<cell::IntegerLiteral>(&expression.node))
    return language::ScalarValue::literal(*literal);
  const auto [known, fresh] = programs_.try_emplace(&expression);
  if (fresh) {
    auto made = ScalarProgram::make(
        expression, session_.names(), [&](const std::string& name) -> std::optional<language::ScalarValue> {
          if (session_.arrays().find(name) != nullptr) return std::nullopt;
          const auto constant = host_constant(session_, run_.sink, name);
          const bool fixed = constant && constant->kind == HostConstant::Kind::fixed;
          const auto* value = fixed ? std::get_if<language::ScalarValue>(&constant->value) : nullptr;
          return value == nullptr ? std::nullopt : std::optional(*value);
        });
    programs_[&expression] = made;  // found again: making it may have asked for others
    return made ? made->run(session_.names(), frame_.text, stack_) : std::nullopt;
  }
  return known->second ? known->second->run(session_.names(), frame_.text, stack_) : std::nullopt;
}

}  // namespace xcuda::interpreter
