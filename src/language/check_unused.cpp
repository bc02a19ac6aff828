// Values that nothing takes, and comments that are meant as quotients.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cell/parse.hpp"
#include "cell/snippet.hpp"
#include "language/checker.hpp"

namespace xcuda::language {

// sort(a); and a == b; do nothing.
void Checker::unused(const cell::Expression& expression, const Form& value) {
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* binary = std::get_if<cell::Binary>(&expression.node);
  const auto text = cell::snippet(source_.text, expression.span);
  if (!value.is_array() && value.kind != Form::Kind::number) return;
  std::string remark = fmt::format("the value of {} is not used", text);
  if (call != nullptr) {
    const auto* member = std::get_if<cell::Member>(&call->callee->node);  // x.sort();
    const auto* callee = std::get_if<cell::Name>(&call->callee->node);
    const auto found = callee != nullptr   ? find_function(callee->text)
                       : member != nullptr ? find_function(member->member)
                                           : std::nullopt;
    const bool of_cells = callee != nullptr && environment_.is_function(without_std(callee->text));
    if (!found || (of_cells && !is_of_statements(found->row->operation))) return;
    const auto operation = found->row->operation;
    const bool acts = operation == Operation::map || operation == Operation::print ||
                      operation == Operation::environment || is_of_runtime(operation);
    if (acts) return;
    const auto* first = member != nullptr         ? member->base.get()
                        : call->arguments.empty() ? nullptr
                                                  : call->arguments.front().value.get();
    const auto* name = first == nullptr ? nullptr : std::get_if<cell::Name>(&first->node);
    if (value.is_array() && name != nullptr) {
      const auto given = find(name->text);
      const bool fits = given && given->is_array() && given->has_type() && given->type == value.type &&
                        given->extents && value.extents && *given->extents == *value.extents;
      remark += fmt::format(", and {0} does not change: {1}{0} = {2};", name->text, fits ? "" : "auto new_", text);
    }
  } else if (binary == nullptr || binary->op == BinaryOperator::comma || cell::is_logical(binary->op)) {
    return;
  } else if (binary->op == BinaryOperator::equal) {
    remark += fmt::format(": did you mean {} = {};?", cell::snippet(source_.text, binary->left->span),
                          cell::snippet(source_.text, binary->right->span));
  }
  checked_.remarks.push_back({std::move(remark), source_.place(expression.span)});
}

// A comment after a value is two blanks away, or has words; "a // 2" is meant as Python has it.
void Checker::divided_by_comment(const cell::Expression& expression) {
  auto rest = std::string_view(source_.text).substr(expression.span.end);
  rest = rest.substr(0, rest.find('\n'));
  const auto blanks = std::min(rest.find_first_not_of(' '), rest.size());
  rest.remove_prefix(blanks);
  if (!rest.starts_with("//") || blanks > 1) return;
  rest.remove_prefix(2);
  const bool assigned = rest.starts_with("=") && !rest.starts_with("==");
  if (!assigned && rest.find_first_not_of(' ') != blanks) return;
  const auto divisor = trim(rest.substr(assigned ? 1 : 0, rest.find(';')));
  const auto parsed = cell::try_parse_expression(divisor);
  if (!parsed) return;
  const bool number = divisor.find_first_not_of("0123456789.") == std::string_view::npos;
  const auto* name = std::get_if<cell::Name>(&parsed->node);
  const auto known = name == nullptr ? std::nullopt : find(name->text);
  if (!number && (!known || !(known->is_array() || known->kind == Form::Kind::number))) return;
  const auto text = cell::snippet(source_.text, expression.span);
  const bool whole = std::holds_alternative<cell::Name>(expression.node) || text.ends_with(')') || text.ends_with(']');
  const auto* said = assigned
                         ? "// begins a comment, and {0} is shown as it is: {1} = floor({1} / (double){2});"
                         : "// begins a comment, and {0} is shown as it is; a quotient is floor({1} / (double){2})";
  checked_.remarks.push_back({fmt::format(fmt::runtime(said), text, whole ? text : "(" + text + ")", divisor),
                              source_.place(expression.span)});
}

// if (w = 3), as g++ remarks it: two pairs of parentheses say that it is meant.
void Checker::assigned_in_condition(const cell::Expression& condition) {
  const auto* set = std::get_if<cell::Assignment>(&condition.node);
  const auto text = cell::snippet(source_.text, condition.span);
  if (set == nullptr || set->op || (text.starts_with('(') && text.ends_with(')'))) return;
  checked_.remarks.push_back(
      {fmt::format("{} assigns; {} == {} compares, and (({})) says that it is meant", text,
                   cell::snippet(source_.text, set->target->span), cell::snippet(source_.text, set->value->span), text),
       source_.place(condition.span)});
}

// -7 % 3, shown: C++ rounds quotients to 0, Python down.
void Checker::remainder_of_negative(const cell::Expression& expression, const Form& value) {
  const auto* binary = std::get_if<cell::Binary>(&expression.node);
  if (binary == nullptr || binary->op != BinaryOperator::remainder || !value.value || !value.value->is_integer())
    return;
  const auto left = checked_.forms[binary->left.get()].value, right = checked_.forms[binary->right.get()].value;
  if (!left || !right || !value.value->truth() || left->is_negative() == right->is_negative()) return;
  const auto text = cell::snippet(source_.text, expression.span);
  checked_.remarks.push_back({fmt::format("{} is {} in Python, where a remainder has the sign of the second number",
                                          text, value.value->as_signed() + right->as_signed()),
                              source_.place(expression.span)});
}

// 2^3, shown: a power elsewhere.
void Checker::power_by_exclusive_or(const cell::Expression& expression, const Form& value) {
  const auto* binary = std::get_if<cell::Binary>(&expression.node);
  if (binary == nullptr || binary->op != BinaryOperator::bit_xor || !value.value) return;
  const auto is_literal = [&](const cell::ExpressionPtr& one) {
    const auto text = cell::snippet(source_.text, one->span);
    return std::holds_alternative<cell::IntegerLiteral>(one->node) &&
           text.find_first_not_of("0123456789") == std::string::npos;
  };
  if (!is_literal(binary->left) || !is_literal(binary->right)) return;
  checked_.remarks.push_back(
      {fmt::format("^ is C++'s exclusive or; pow({}, {}) is a power", cell::snippet(source_.text, binary->left->span),
                   cell::snippet(source_.text, binary->right->span)),
       source_.place(expression.span)});
}

// Remarks where only the first of several results is used: one part of a matrix says little.
void Checker::first_of_several(const cell::Expression& value, std::string_view taker) {
  const auto* call = std::get_if<cell::Call>(&value.node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
  const auto found = callee == nullptr ? std::nullopt : find_function(callee->text);
  if (!found || found->row->parts.empty() || environment_.is_function(without_std(callee->text))) return;
  const auto text = cell::snippet(source_.text, value.span);
  checked_.remarks.push_back({fmt::format("{} gives {} results, and {} is only the first of them: auto [{}] = {};",
                                          text, found->row->results, taker, found->row->parts, text),
                              source_.place(value.span)});
}

void Checker::value_of_statement(const cell::ExpressionStatement& statement, const Form& value) {
  const auto& expression = *statement.expression;
  if (statement.shown && value.is_array()) sorted_copy(expression);
  if (statement.shown) first_of_several(expression, "this");
  if (const auto* set = std::get_if<cell::Assignment>(&expression.node))
    first_of_several(*set->value, cell::snippet(source_.text, set->target->span));
  if (!statement.shown)
    unused(expression, value);
  else if (value.is_array() || value.kind == Form::Kind::number)
    divided_by_comment(expression), remainder_of_negative(expression, value), power_by_exclusive_or(expression, value);
}

}  // namespace xcuda::language
