// What C++ refuses: conversions and operators of enumerations, and private members.
#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "cell/snippet.hpp"
#include "language/checker.hpp"

namespace xcuda::language {

using cell::UnaryOperator;

namespace {

// By its name or, where the cell defines it, as the declaration has it.
std::string_view name_of(const Type& type) { return type.name.empty() ? type.written : std::string_view(type.name); }

}  // namespace

std::optional<Checker::Enumerated> Checker::enumeration_of(const cell::Expression& expression) {
  using Enumeration = Environment::Enumeration;
  if (trusts_) return std::nullopt;
  std::string type;
  const auto* name = std::get_if<cell::Name>(&expression.node);
  const bool local = name != nullptr && std::any_of(scopes_.begin(), scopes_.end(), [&](const Scope& scope) {
                       return scope.names.contains(name->text);
                     });
  if (name != nullptr && !local) type = environment_.enumeration_of(name->text);
  if (type.empty()) {
    const auto known = checked_.forms.find(&expression);
    if (known == checked_.forms.end()) return std::nullopt;
    if (known->second.is_known() && known->second.kind != Form::Kind::number) return std::nullopt;
    type = name_of(known->second.type);
    // A variable of an earlier cell has the type of its number, and its own name for it.
    const auto written = known->second.type.written;
    if (environment_.enumeration(written) != Enumeration::none) type = written;
  }
  const auto kind = environment_.enumeration(type);
  if (kind == Enumeration::none) return std::nullopt;
  return Enumerated{std::move(type), kind == Enumeration::scoped};
}

bool Checker::is_plain_number(const cell::Expression& expression) {
  if (const auto* name = std::get_if<cell::Name>(&expression.node))
    return std::any_of(scopes_.begin(), scopes_.end(), [&](const Scope& scope) {
      const auto known = scope.names.find(name->text);
      return known != scope.names.end() && known->second.kind == Form::Kind::number && known->second.has_type() &&
             environment_.enumeration(known->second.type.name) == Environment::Enumeration::none;
    });
  return std::holds_alternative<cell::IntegerLiteral>(expression.node) ||
         std::holds_alternative<cell::FloatingLiteral>(expression.node) ||
         std::holds_alternative<cell::BoolLiteral>(expression.node);
}

bool Checker::has_operator(std::string_view symbol) {
  const auto name = fmt::format("operator{}", symbol);
  return environment_.is_device_code(name) || environment_.is_function(name);
}

void Checker::converts(const cell::Expression& value, const Type& type) {
  if (trusts_) return;
  const auto from = enumeration_of(value);
  const bool is_written = environment_.enumeration(type.written) != Environment::Enumeration::none;
  const auto to = is_written ? type.written : name_of(type);
  const bool to_enumeration = is_written || environment_.enumeration(to) != Environment::Enumeration::none;
  if (from ? from->type == to || !(from->scoped || to_enumeration) : !to_enumeration || !is_plain_number(value)) return;
  const auto text = cell::snippet(source_.text, value.span);
  const auto form = checked_.forms[&value];
  say(Error(ErrorKind::type, fmt::format("{} is of type {}, which does not convert to {}", text,
                                         from ? from->type : form.type.as_written(), to))
          .at(source_.place(value.span))
          .advise(fmt::format("If you mean its number: static_cast<{}>({})", to, text)));
}

void Checker::compares(const cell::Binary& binary, cell::Span span) {
  if (trusts_ || binary.op == cell::BinaryOperator::comma || has_operator(cell::spelling(binary.op))) return;
  const auto left = enumeration_of(*binary.left), right = enumeration_of(*binary.right);
  if (!(left && left->scoped) && !(right && right->scoped)) return;
  if (cell::is_comparison(binary.op) && left && right && left->type == right->type) return;
  const auto known = [&](const cell::Expression& side) {
    const auto found = checked_.forms.find(&side);
    return enumeration_of(side) || (found != checked_.forms.end() && found->second.kind == Form::Kind::number);
  };
  if (!known(*binary.left) || !known(*binary.right)) return;
  const auto type = [&](const cell::Expression& side, const std::optional<Enumerated>& of) {
    return of ? of->type : std::string(checked_.forms[&side].type.as_written());
  };
  const auto& scoped = left && left->scoped ? *binary.left : *binary.right;
  say(Error(ErrorKind::type, fmt::format("{1} and {2} have no operator {0}", cell::spelling(binary.op),
                                         type(*binary.left, left), type(*binary.right, right)))
          .at(source_.place(span))
          .advise(
              fmt::format("An enum class does not convert: static_cast<int>({}) is its number, or define operator{}",
                          cell::snippet(source_.text, scoped.span), cell::spelling(binary.op))));
}

void Checker::steps(const cell::Unary& unary, cell::Span span) {
  const bool step = cell::is_step(unary.op);
  const auto of = enumeration_of(*unary.operand);
  const bool plain_value = unary.op == UnaryOperator::address || unary.op == UnaryOperator::pointee;
  if (!of || plain_value || (!step && !of->scoped)) return;
  const std::string_view spelled = unary.op == UnaryOperator::increment_after   ? "++"
                                   : unary.op == UnaryOperator::decrement_after ? "--"
                                                                                : cell::spelling(unary.op);
  if (has_operator(spelled)) return;
  const auto text = cell::snippet(source_.text, unary.operand->span);
  auto error = Error(ErrorKind::type, fmt::format("{1} has no operator {0}", spelled, of->type));
  say(std::move(error)
          .at(source_.place(span))
          .advise(step ? fmt::format("{0} = static_cast<{1}>(static_cast<int>({0}) {2} 1);", text, of->type, spelled[0])
                       : fmt::format("An enum class does not convert: static_cast<int>({}) is its number", text)));
}

void Checker::steps_by(const cell::Assignment& assignment, cell::Span span) {
  const auto of = enumeration_of(*assignment.target);
  if (!of || !assignment.op) return;
  const auto symbol = cell::spelling(*assignment.op);
  if (has_operator(symbol) || has_operator(fmt::format("{}=", symbol))) return;
  say(Error(ErrorKind::type, fmt::format("{1} has no operator {0}=", symbol, of->type))
          .at(source_.place(span))
          .advise(fmt::format("Compute with its number, and convert that: static_cast<{}>(...)", of->type)));
}

void Checker::refuse_scoped(const cell::Expression& value, std::string_view what) {
  const auto of = enumeration_of(value);
  if (!of || !of->scoped) return;
  const auto text = cell::snippet(source_.text, value.span);
  say(Error(ErrorKind::type, fmt::format("{} is of type {}, which cannot be {}", text, of->type, what))
          .at(source_.place(value.span))
          .advise(fmt::format("An enum class does not convert: static_cast<int>({}) is its number", text)));
}

void Checker::accessible(const Type& type, const cell::Member& member, cell::Span span) {
  if (trusts_) return;
  const auto access = environment_.access_of(type, member.member, function_);
  if (access.empty()) return;
  say(Error(ErrorKind::type, fmt::format("{} is {} in {}", member.member, access, name_of(type)))
          .at(source_.place(span))
          .advise(fmt::format("Call a public function of it, or write public: in front of {}.", member.member)));
}

}  // namespace xcuda::language
