// Expressions of statements: scalars by C++'s rules (cell/evaluate.hpp), arrays by name, element, row and slice.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "arrays/array_math.hpp"
#include "arrays/convert.hpp"
#include "base/text.hpp"
#include "interpreter/assignments.hpp"
#include "interpreter/constants.hpp"
#include "interpreter/describe.hpp"
#include "interpreter/dimensions.hpp"
#include "interpreter/executor.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/members.hpp"
#include "interpreter/operators.hpp"
#include "interpreter/places.hpp"
#include "language/constants.hpp"
#include "language/functions.hpp"

namespace xcuda::interpreter {
cell::Value Executor::number(const Value& value, cell::Span span, std::string_view what) {
  if (const auto* scalar = std::get_if<cell::Value>(&value)) return *scalar;
  // A text is a pointer that is not null, as getenv() gives it.
  if (what == "a condition" && std::holds_alternative<std::string>(value)) return cell::Value::of(true);
  if (what == "a condition" && std::holds_alternative<NullPointer>(value)) return cell::Value::of(false);
  auto failure = error(ErrorKind::type, fmt::format("{} is {}, and a number is expected", what, describe(value)), span);
  if (std::holds_alternative<Pointer>(value))
    failure.advice = fmt::format("One element is {}[i].", snippet(run_.source, span));
  if (std::holds_alternative<ArrayExpression>(value))
    failure.advice = "any(...), all(...), sum(...) and the like make one number of an array.";
  throw failure;
}

cell::Value Executor::number(const cell::Expression& expression, std::string_view what) {
  if (const auto value = scalar(expression)) return *value;
  return number(evaluate(expression), expression.span, what);
}

std::optional<cell::Value> Executor::scalar(const cell::Expression& expression) {
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

Value Executor::evaluate(const cell::Expression& expression) {
  if (const auto value = scalar(expression)) return *value;
  struct Visitor {
    Executor& self;
    const cell::Expression& expression;
    cell::Span span() const { return expression.span; }

    Value operator()(const cell::Name& name) const {
      auto value = self.frame_.lookup.value(name, span());
      // A module variable of one element is read like a scalar.
      if (const auto* pointer = std::get_if<Pointer>(&value); pointer != nullptr && pointer->shape.empty())
        return self.frame_.places.element(*pointer);
      return value;
    }
    Value operator()(const cell::StringLiteral& literal) const { return literal.value; }
    Value operator()(const cell::Unary& unary) const { return self.frame_.operators.unary(unary, expression); }
    Value operator()(const cell::Binary& binary) const { return self.frame_.operators.binary(binary, span()); }
    Value operator()(const cell::Assignment& assignment) const {
      return self.frame_.assignments.assign(assignment, span());
    }
    Value operator()(const cell::Ternary& ternary) const { return self.frame_.operators.ternary(ternary, span()); }
    Value operator()(const cell::Cast& cast) const { return self.frame_.operators.cast(cast, span()); }
    Value operator()(const cell::Call& call) const { return self.call(call, span()); }
    Value operator()(const cell::Index& index) const {
      if (auto value = self.frame_.members.host_value(expression)) return std::move(*value);
      auto pointer = self.frame_.places.subscript(index);
      if (pointer.shape.empty()) return self.frame_.places.element(pointer);
      return pointer;
    }
    Value operator()(const cell::Member& member) const { return self.frame_.members.value(member, expression); }
    Value operator()(const cell::List&) const {
      throw self.error(ErrorKind::type, "a list in braces has no type of its own here", span())
          .advise(
              "Lists are initial values, float x[3] = {1, 2, 3}; with its type in front, Point{1, 2}, one is a value.");
    }
    Value operator()(const cell::SizeOf& size) const { return self.frame_.operators.size_of(size, span()); }
    Value operator()(const cell::Lambda&) const {
      throw self.error(ErrorKind::unsupported, "lambdas do not run on the host", span())
          .advise("Write a __device__ function.");
    }
    Value operator()(const cell::IntegerLiteral& literal) const { return cell::Value::literal(literal); }
    Value operator()(const cell::FloatingLiteral& literal) const { return cell::Value::literal(literal); }
    Value operator()(const cell::BoolLiteral& literal) const { return cell::Value::literal(literal); }
    Value operator()(const cell::CharLiteral& literal) const { return cell::Value::literal(literal); }
  };
  return std::visit(Visitor{*this, expression}, expression.node);
}

// The kind of a scalar expression that is not evaluated; nothing where that would take an evaluation.
std::optional<cell::Kind> Executor::kind_of(const cell::Expression& expression) {
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
    const auto function = name == nullptr || session_.program().is_function(name->text)
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
    static constexpr std::string_view kTruths = " == != < > <= >= && || ";
    if (kTruths.find(" " + binary->op + " ") != std::string_view::npos) return cell::Kind::boolean;
    if (binary->op == "<<" || binary->op == ">>") return left ? std::optional(cell::promoted(*left)) : std::nullopt;
    return left && right ? std::optional(cell::common_kind(*left, *right)) : std::nullopt;
  }
  if (const auto* unary = std::get_if<cell::Unary>(&expression.node)) {
    if (unary->op == "!") return cell::Kind::boolean;
    if (unary->op == "*" || unary->op == "&") return std::nullopt;
    const auto operand = kind_of(*unary->operand);
    const bool step = unary->op.ends_with("++") || unary->op.ends_with("--");
    return operand && !step ? std::optional(cell::promoted(*operand)) : operand;
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
