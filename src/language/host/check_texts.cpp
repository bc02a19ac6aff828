// Texts, and the streams that they are written to.
#include <fmt/format.h>

#include "cell/snippet.hpp"
#include "language/checker.hpp"
#include "language/complaints.hpp"
#include "language/host/text_types.hpp"

namespace xcuda::language {

using cell::Span;

Form Checker::stream(const cell::Binary& binary) {
  const auto output = stream_output(binary);
  for (const auto* operand : output->operands) {
    const auto* name = std::get_if<cell::Name>(&operand->node);
    if (const auto* row = manipulator_of(*operand); row != nullptr && (name == nullptr || !find(name->text))) {
      if (row->takes_argument()) number(*std::get<cell::Call>(operand->node).arguments[0].value, row->name);
      continue;
    }
    const auto given = form(*operand);
    const auto of = enumeration_of(*operand);
    if (of && of->scoped && !has_operator("<<") && environment_.host_function("xcuda_output_" + of->type, 1) == nullptr)
      refuse_scoped(*operand, "printed by a stream");
    if (!can_be_streamed(given) && !may_convert(given)) say(not_streamed(source_, given, operand->span));
  }
  return Form::of(Form::Kind::nothing);
}

// std::cout.precision(3)
std::optional<Form> Checker::stream_call(const cell::Call& call) {
  const auto* member = std::get_if<cell::Member>(&call.callee->node);
  if (member == nullptr || member->arrow || !find_stream(*member->base)) return std::nullopt;
  const auto* row = manipulator_of_member(member->member);
  if (row == nullptr || call.arguments.size() != (row->takes_argument() ? 1u : 0u)) {
    say(unknown_stream_member(source_, *member, call.callee->span));
    return Form();
  }
  if (row->takes_argument()) number(*call.arguments[0].value, row->name);
  return Form::of(Form::Kind::nothing);
}

// What is certainly a text, without a look at the parts that may be wrong.
bool Checker::is_text(const cell::Expression& expression) {
  if (std::holds_alternative<cell::StringLiteral>(expression.node)) return true;
  if (const auto* name = std::get_if<cell::Name>(&expression.node)) {
    const auto held = find(name->text);
    return held && held->kind == Form::Kind::text;
  }
  if (const auto* sum = std::get_if<cell::Binary>(&expression.node))
    return sum->op == BinaryOperator::add && (is_text(*sum->left) || is_text(*sum->right));
  const auto* call = std::get_if<cell::Call>(&expression.node);
  if (call == nullptr) return false;
  if (const auto* member = std::get_if<cell::Member>(&call->callee->node)) {
    const auto* row = find_text_method(member->member);
    return row != nullptr && row->result != nullptr && row->result().kind == Form::Kind::text && is_text(*member->base);
  }
  const auto* name = std::get_if<cell::Name>(&call->callee->node);
  const auto row = name == nullptr ? std::nullopt : find_function(name->text);
  return row && (row->row->operation == Operation::text_of_number || row->row->operation == Operation::make_text);
}

// s.size()
std::optional<Form> Checker::text_call(const cell::Call& call) {
  const auto* member = std::get_if<cell::Member>(&call.callee->node);
  if (member == nullptr || member->arrow || !is_text(*member->base)) return std::nullopt;
  form(*member->base);
  const auto* row = find_text_method(member->member);
  const auto count = call.arguments.size();
  if (row == nullptr || count < row->least || count > row->most) {
    say(unknown_text_method(source_, *member, call.callee->span));
    return Form();
  }
  for (const auto& argument : call.arguments) form(*argument.value);
  if (changes(row->operation)) {
    const auto* name = std::get_if<cell::Name>(&member->base->node);
    if (name == nullptr)
      say(cannot_be_assigned(source_, member->base->span));
    else if (find(name->text)->read_only)
      say(is_constant(source_, name->text, member->base->span));
  }
  return row->result == nullptr ? Form::of(Form::Kind::nothing) : row->result();
}

// s + "a", s + 'a', s == t
std::optional<Form> Checker::of_texts(const cell::Binary& binary, const Form& left, const Form& right) {
  const bool first = left.kind == Form::Kind::text, second = right.kind == Form::Kind::text;
  if (!first && !second) return std::nullopt;
  const bool both = first && second;
  if (both && cell::is_comparison(binary.op)) return Form::number(Kind::boolean);
  const auto& other = first ? right : left;
  const bool joins = both || (number_kind(other) == Kind::char8 && other.kind == Form::Kind::number) ||
                     (other.is_array() && other.has_type() && other.type.name == "char");
  if (binary.op == BinaryOperator::add && joins) return Form::of(Form::Kind::text);
  // A const char* is a pointer to these.
  const bool moves = binary.op == BinaryOperator::add || binary.op == BinaryOperator::subtract;
  if (first && moves && other.kind == Form::Kind::number && other.type.is_integer()) return Form::of(Form::Kind::text);
  const bool pointers = both || other.is_array();
  if (pointers && binary.op == BinaryOperator::subtract) return Form::number(Kind::long64);
  if (pointers && cell::is_comparison(binary.op)) return Form::number(Kind::boolean);
  return std::nullopt;
}

}  // namespace xcuda::language
