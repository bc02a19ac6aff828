#include "interpreter/native/object_operators.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cell/lexer.hpp"
#include "cell/library_names.hpp"
#include "cell/methods.hpp"
#include "cell/operator_table.hpp"
#include "interpreter/containers/moves.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/host_constants.hpp"
#include "interpreter/launches/closures.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/native/class_definition.hpp"
#include "interpreter/native/native_arguments.hpp"
#include "interpreter/native/native_calls.hpp"
#include "interpreter/session_names.hpp"
#include "language/functions.hpp"

namespace xcuda::interpreter {
namespace {

constexpr std::string_view kDeduced = "auto";  // a type that is known when the code is compiled

bool is_cells_struct(const language::Form& form) {
  return form.kind == language::Form::Kind::object && form.type.scalar == Scalar::none && form.type.lanes == 1 &&
         !form.type.name.empty() &&
         (!cell::is_library_name(form.type.name) || cell::is_library_view(form.type.name) ||
          cell::has_library_operators(form.type.name)) &&
         !form.type.name.starts_with(session::kClosure);
}

}  // namespace

bool ObjectOperators::is_struct(const cell::Expression& expression) {
  return !std::holds_alternative<cell::List>(expression.node) && is_cells_struct(frame_.expressions.form(expression));
}

bool ObjectOperators::is_defined(std::string_view op) const {
  const auto& definitions = session_.code().definitions();
  return std::any_of(definitions.begin(), definitions.end(), [&](const session::Definition& one) {
    const auto at = one.text.find("operator");
    return at != std::string::npos && (one.text.find(fmt::format("operator{}", op), at) != std::string::npos ||
                                       one.text.find(fmt::format("operator {}", op), at) != std::string::npos);
  });
}

bool ObjectOperators::is_array(const cell::Expression& expression) {
  return !std::holds_alternative<cell::List>(expression.node) && frame_.expressions.form(expression).is_array();
}

// The struct that an expression is or refers to; of no name where it is neither.
Type ObjectOperators::struct_of(const cell::Expression& object) {
  return is_struct(object) ? frame_.expressions.form(object).type : Type{referred_type(object), 1, 1};
}

// What is pointed to, also where the cell that is checked defines it.
Type ObjectOperators::pointee_of(const cell::Expression& pointer) {
  const auto* name = std::get_if<cell::Name>(&pointer.node);
  const auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
  const auto* held = variable == nullptr ? nullptr : std::get_if<Pointer>(&variable->value);
  return held != nullptr ? held->type : frame_.expressions.form(pointer).type;
}

bool ObjectOperators::is_place(const cell::Expression& expression) {
  const auto* index = std::get_if<cell::Index>(&expression.node);
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto is_native = [&](const cell::Expression& object, std::string_view method) {
    const auto type = struct_of(object);
    return !type.name.empty() && !frame_.host_function_calls.has_method(type, method);
  };
  if (index != nullptr)
    return index->subscripts.size() == 1 && !index->subscripts[0].slice && is_native(*index->base, "operator[]");
  if (const auto* name = std::get_if<cell::Name>(&expression.node)) return is_static_member(name->text);
  if (call == nullptr) return false;
  if (const auto* member = std::get_if<cell::Member>(&call->callee->node))
    return member->arrow ? gives_native_reference(expression) : is_native(*member->base, member->member);
  return is_reference_function(*call) || is_part_of_tuple(*call) || !closure_result(*call).empty() ||
         is_native(*call->callee, "operator()");
}

// What a lambda in a variable refers to: "C" of auto f = [&](int i) -> C& { return a[i]; };
std::string ObjectOperators::closure_result(const cell::Call& call) {
  const auto* name = std::get_if<cell::Name>(&call.callee->node);
  const auto* held = name == nullptr ? nullptr : session_.names().find(name->text);
  return held != nullptr && is_closure(held->value) ? frame_.closures.referred(std::get<Object>(held->value).type)
                                                    : std::string();
}

bool ObjectOperators::is_static_member(const std::string& name) {
  const auto scope = language::scope_of(name);
  const bool of_type = cell::is_library_name(name) || (!scope.empty() && frame_.lookup.is_type(std::string(scope)));
  return of_type && session_.names().find(name) == nullptr && !session_.code().program().is_function(name) &&
         !host_constant(session_, run_.sink, name);
}

Value ObjectOperators::static_member(const std::string& name, cell::Span span) {
  NativeArguments arguments(frame_);
  return frame_.native_calls.run(fmt::format("return {};", name), name, arguments, span);
}

// std::get<0>(t)
bool ObjectOperators::is_part_of_tuple(const cell::Call& call) {
  const auto* name = std::get_if<cell::Name>(&call.callee->node);
  if (name == nullptr || !name->text.starts_with("std::get<") || call.arguments.size() != 1) return false;
  const auto& tuple = *call.arguments[0].value;
  const bool place = std::holds_alternative<cell::Name>(tuple.node) ||
                     std::holds_alternative<cell::Index>(tuple.node) ||
                     std::holds_alternative<cell::Member>(tuple.node);
  return place && frame_.expressions.form(tuple).kind == language::Form::Kind::object;
}

bool ObjectOperators::is_reference_function(const cell::Call& call) {
  const auto name = function_called(call);
  SessionNames names(session_, run_, nullptr);
  return !name.empty() && names.is_function(name) && names.gives_reference(name);
}

// By its name, or by a pointer to it.
std::string ObjectOperators::function_called(const cell::Call& call) {
  const auto* name = std::get_if<cell::Name>(&call.callee->node);
  const auto* held = name == nullptr ? nullptr : session_.names().find(name->text);
  if (held == nullptr) return name == nullptr ? std::string() : name->text;
  const auto* function = std::get_if<Function>(&held->value);
  return function == nullptr ? std::string() : function->name;
}

std::string ObjectOperators::referred_type(const cell::Expression& expression) {
  const auto* index = std::get_if<cell::Index>(&expression.node);
  const auto* call = std::get_if<cell::Call>(&expression.node);
  if (index == nullptr && call == nullptr) return {};
  const auto type_in = [](std::string_view reference) {
    reference.remove_suffix(1);
    if (reference.starts_with("const ")) reference.remove_prefix(6);
    return std::string(trim(reference));
  };
  if (call != nullptr && is_part_of_tuple(*call)) return std::string(kDeduced);
  if (call != nullptr)
    if (auto type = closure_result(*call); !type.empty()) return type;
  if (call != nullptr && is_reference_function(*call)) {  // V& pick(V& a, V& b)
    const auto name = function_called(*call);
    const auto& all = session_.code().definitions();
    const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Definition& one) {
      return one.piece.kind == cell::DeviceKind::function && one.piece.name == name && one.piece.type.ends_with('&');
    });
    return found == all.rend() ? std::string() : type_in(found->piece.type);
  }
  const auto* member = call == nullptr ? nullptr : std::get_if<cell::Member>(&call->callee->node);
  const auto& object = index != nullptr ? *index->base : member != nullptr ? *member->base : *call->callee;
  const auto method = index != nullptr ? "operator[]" : member != nullptr ? member->member : std::string("operator()");
  const auto own = member != nullptr && member->arrow ? pointee_of(object) : struct_of(object);
  if (own.name == kDeduced) return own.name;
  if (own.name.empty() || frame_.host_function_calls.has_method(own, method)) return {};
  const auto* definition = class_definition(session_, own);
  if (definition == nullptr) return {};
  const auto& text = definition->text;
  const auto known = cell::class_text(text, {0, static_cast<std::uint32_t>(text.size())});
  if (!known) return {};
  for (const auto& one : known->methods) {
    if (!one.name.ends_with("::" + method) || !one.type.ends_with('&')) continue;
    const auto type = type_in(one.type);
    return type == own.name.substr(0, own.name.find('<')) ? own.name : type;
  }
  return {};
}

bool ObjectOperators::gives_native_reference(const cell::Expression& expression) {
  return !referred_type(expression).empty();
}

// What its code is given is moved to memory, so that the place outlives that code.
std::optional<Pointer> ObjectOperators::referred(const cell::Expression& expression) {
  if (!gives_native_reference(expression)) return std::nullopt;
  move_operands(expression);
  NativeArguments arguments(frame_);
  const auto text = place(expression, arguments);
  auto address = frame_.native_calls.run(fmt::format("return &({});", text), text, arguments, expression.span);
  auto& place = std::get<Pointer>(address);
  place.shape.clear();
  place.whole = place.is_address = false;
  return std::move(place);
}

void ObjectOperators::move_operands(const cell::Expression& expression) {
  if (const auto* index = std::get_if<cell::Index>(&expression.node)) return move_operands(*index->base);
  if (const auto* unary = std::get_if<cell::Unary>(&expression.node)) return move_operands(*unary->operand);
  if (const auto* call = std::get_if<cell::Call>(&expression.node)) {
    const auto* member = std::get_if<cell::Member>(&call->callee->node);
    move_operands(member != nullptr ? *member->base : *call->callee);
    for (const auto& argument : call->arguments) move_operands(*argument.value);
    return;
  }
  const auto* name = std::get_if<cell::Name>(&expression.node);
  const auto* held = name == nullptr ? nullptr : session_.names().find(name->text);
  if (held == nullptr || !is_closure(held->value)) return frame_.references.move_for_address(expression);
  const auto text = frame_.closures.text_of(std::get<Object>(held->value).type);
  for (const auto& token : cell::tokens_of(text))
    if (token.is_identifier()) frame_.references.move_for_address(std::string(token.text));
}

std::string ObjectOperators::place(const cell::Expression& expression, NativeArguments& arguments) {
  if (!is_place(expression)) return {};
  const auto text = [&](const cell::Expression& one) { return arguments.text_of(one, ArrayPassing::pointer); };
  if (const auto* index = std::get_if<cell::Index>(&expression.node))
    return fmt::format("{}[{}]", text(*index->base), text(*index->subscripts[0].start));
  if (const auto* name = std::get_if<cell::Name>(&expression.node)) return name->text;
  const auto& call = std::get<cell::Call>(expression.node);
  const auto* member = std::get_if<cell::Member>(&call.callee->node);
  if (member != nullptr && member->arrow) frame_.native_calls.require_pointer(*member->base);
  auto result = is_part_of_tuple(call) ? std::get<cell::Name>(call.callee->node).text + "("
                : member == nullptr
                    ? text(*call.callee) + "("
                    : fmt::format("{}{}{}(", text(*member->base), member->arrow ? "->" : ".", member->member);
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    result += (i > 0 ? ", " : "") + text(*call.arguments[i].value);
  return result + ")";
}

std::optional<Value> ObjectOperators::binary(const cell::Binary& binary, cell::Span span) {
  if ((!is_struct(*binary.left) && !is_struct(*binary.right)) || is_array(*binary.left) || is_array(*binary.right))
    return std::nullopt;
  if (is_struct(*binary.left))
    if (auto value =
            frame_.host_function_calls.operate(*binary.left, cell::spelling(binary.op), {binary.right.get()}, span))
      return value;
  NativeArguments arguments(frame_);
  const auto left = arguments.text_of(*binary.left, ArrayPassing::pointer);
  const auto right = arguments.text_of(*binary.right, ArrayPassing::pointer);
  const auto text = fmt::format("return ({}) {} ({});", left, cell::spelling(binary.op), right);
  return frame_.native_calls.run(text, text, arguments, span);
}

std::optional<Value> ObjectOperators::unary(const cell::Unary& unary, cell::Span span) {
  const bool of_place = cell::is_step(unary.op) && is_place(*unary.operand);
  if (unary.op == cell::UnaryOperator::address || (!of_place && !is_struct(*unary.operand))) return std::nullopt;
  const bool step_after = cell::is_step(unary.op) && cell::is_after(unary.op);
  if (!step_after && !of_place)
    if (auto value = frame_.host_function_calls.operate(*unary.operand, cell::spelling(unary.op), {}, span))
      return value;
  NativeArguments arguments(frame_);
  const auto operand = arguments.text_of(*unary.operand, ArrayPassing::pointer);
  const auto op = cell::spelling(unary.op);
  const bool step = cell::is_step(unary.op);
  const auto text = step && cell::is_after(unary.op) ? fmt::format("return {}{};", operand, op)
                    : step                           ? fmt::format("{}{};", op, operand)
                                                     : fmt::format("return {}({});", op, operand);
  auto result = frame_.native_calls.run(text, text, arguments, span);
  return step && !cell::is_after(unary.op) ? arguments.value_of(*unary.operand) : std::move(result);
}

std::optional<Value> ObjectOperators::subscript(const cell::Index& index, const cell::Expression& expression) {
  if (!is_struct(*index.base)) return std::nullopt;
  if (index.subscripts.size() == 1 && !index.subscripts[0].slice)
    if (auto value =
            frame_.host_function_calls.operate(*index.base, "[]", {index.subscripts[0].start.get()}, expression.span))
      return value;
  NativeArguments arguments(frame_);
  const auto text = place(expression, arguments);
  if (text.empty()) return std::nullopt;
  return frame_.native_calls.run(fmt::format("return {};", text), text, arguments, expression.span);
}

// By operator= and its siblings; nothing where the bytes of the value are the assignment.
std::optional<Value> ObjectOperators::assign(const cell::Assignment& assignment, cell::Span span) {
  const auto& target = *assignment.target;
  const bool within = is_place(target);
  if (!within && frame_.references.may_refer(target) && std::holds_alternative<cell::Index>(target.node))
    return std::nullopt;
  if (!within) {
    if (!is_struct(target) || is_array(*assignment.value)) return std::nullopt;
    const auto& type = frame_.expressions.form(target).type;
    const bool list = std::holds_alternative<cell::List>(assignment.value->node);
    const bool same = list || (is_struct(*assignment.value) && frame_.expressions.form(*assignment.value).type == type);
    // a += b is a = a + b where only + is defined.
    if (assignment.op && !is_defined(fmt::format("{}=", cell::spelling(*assignment.op)))) return std::nullopt;
    if (!assignment.op && same && !frame_.lifetimes.rules_of(type).assigns) return std::nullopt;
  }
  if (!within) {
    const auto op = fmt::format("{}=", assignment.op ? cell::spelling(*assignment.op) : std::string_view());
    if (auto value = frame_.host_function_calls.operate(target, op, {assignment.value.get()}, span)) return value;
  }
  NativeArguments arguments(frame_);
  auto value = arguments.text_of(*assignment.value, ArrayPassing::pointer);
  if (!within && is_moved(run_.source, *assignment.value) && is_struct(*assignment.value))
    value = fmt::format("static_cast<{}&&>({})", frame_.expressions.form(*assignment.value).type.name, value);
  const auto place = within ? this->place(target, arguments) : arguments.text_of(target, ArrayPassing::pointer);
  const auto op = assignment.op ? std::string(cell::spelling(*assignment.op)) : std::string();
  const auto text = fmt::format("{} {}= {};", place, op, value);
  frame_.native_calls.run(text, text, arguments, span);
  return within ? Value(Nothing{}) : arguments.value_of(target);
}

std::optional<Value> ObjectOperators::converted(const Value& value, const Type& type,
                                                const cell::Expression& expression) {
  const auto* object = std::get_if<Object>(&value);
  const bool library =
      object != nullptr && cell::is_library_name(object->type.name) && !cell::has_library_operators(object->type.name);
  if (object == nullptr || library || object->type.scalar != Scalar::none || object->type.lanes > 1)
    return std::nullopt;
  NativeArguments arguments(frame_);
  const auto text = fmt::format("return static_cast<{}>({});", type.name,
                                arguments.text_of(value, expression, ArrayPassing::pointer));
  return frame_.native_calls.run(text, text, arguments, expression.span);
}

}  // namespace xcuda::interpreter
