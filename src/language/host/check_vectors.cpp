// std::vector: an array that grows.
#include <fmt/format.h>

#include "cell/library_names.hpp"
#include "cell/snippet.hpp"
#include "language/checker.hpp"
#include "language/complaints.hpp"
#include "language/host/vector_types.hpp"
#include "language/standard_algorithms.hpp"

namespace xcuda::language {

using cell::Span;

// How many elements it has is not known before it runs.
Form Checker::vector_of(std::string_view element, Span span) {
  auto made = Form::array({}, Extents(1));
  made.memory = Form::Memory::whole;
  made.grows = true;
  if (!can_be_in_vector(element))
    say(no_vectors_of(source_, element, span));
  else
    made.type =
        cell::is_callable_type(element) ? function_pointer() : named_type(std::string(element), span).value_or(Type());
  return made;
}

// std::vector<float> v, v(n), v(n, 1.0f), v{1, 2}, v(a.begin(), a.end()), v = w;
Form Checker::declared_vector(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  auto made = vector_of(cell::vector_element(declaration.type), declaration.type_span);
  if (declarator.init != nullptr) elements(*declarator.init, made.type);
  for (const auto& argument : declarator.constructor) form(*argument.value);
  made.read_only = declaration.is_const;
  return made;
}

// v.push_back(3)
std::optional<Form> Checker::vector_call(const cell::Call& call) {
  if (auto known = container_call(call)) return known;
  const auto* member = std::get_if<cell::Member>(&call.callee->node);
  const auto* name = member == nullptr || member->arrow ? nullptr : std::get_if<cell::Name>(&member->base->node);
  const auto held = name == nullptr ? std::nullopt : find(name->text);
  if (!held || !held->grows) return std::nullopt;
  const auto* row = find_vector_method(member->member);
  if (row == nullptr) {
    if (find_function(member->member)) return std::nullopt;  // v.sum()
    say(unknown_vector_method(source_, *member, call.callee->span));
    return Form();
  }
  const auto count = call.arguments.size();
  if (count < row->least || count > row->most) {
    say(unknown_vector_method(source_, *member, call.callee->span));
    return Form();
  }
  form(*member->base);
  const bool made = row->operation == VectorOperation::push_back && count != 1;  // emplace_back(1, 2.5f)
  for (const auto& argument : call.arguments)
    made ? void(form(*argument.value)) : elements(*argument.value, held->type);
  if (changes(row->operation) && held->read_only) say(is_constant(source_, name->text, member->base->span));
  return result_of(*row, *held);
}

// std::begin(x), std::end(x); nothing for other calls.
std::optional<Form> Checker::iterator(const cell::Expression& expression) {
  const auto& call = std::get<cell::Call>(expression.node);
  const auto* begin = begin_of(expression);
  const auto* container = begin != nullptr ? begin : end_of(expression);
  if (container == nullptr || !std::holds_alternative<cell::Name>(call.callee->node)) return std::nullopt;
  const auto held = form(*container);
  if (!held.is_array())
    return held.kind == Form::Kind::object || !held.is_known() ? std::optional(Form()) : std::nullopt;
  auto pointer = Form::array(held.type, Extents(1));
  pointer.memory = Form::Memory::part;
  pointer.is_address = true;
  pointer.read_only = held.read_only;
  return pointer;
}

// std::vector<float>(n, 1.0f)
Form Checker::vector_value(const cell::Expression& expression) {
  auto made = vector_of(made_vector(expression), expression.span);
  if (const auto* cast = std::get_if<cell::Cast>(&expression.node)) elements(*cast->operand, made.type);
  if (const auto* call = std::get_if<cell::Call>(&expression.node))
    for (const auto& argument : call->arguments) form(*argument.value);
  return made;
}

}  // namespace xcuda::language
