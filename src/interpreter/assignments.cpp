#include "interpreter/assignments.hpp"

#include <fmt/format.h>

#include <memory>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "cell/library_names.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/devices/devices.hpp"
#include "interpreter/devices/spread_arrays.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/initial_values.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/members.hpp"
#include "interpreter/native/class_definition.hpp"
#include "interpreter/native/library_values.hpp"
#include "interpreter/native/object_operators.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/subscripts.hpp"
#include "interpreter/targets.hpp"
#include "language/complaints.hpp"
#include "language/handles.hpp"
#include "language/part_calls.hpp"

namespace xcuda::interpreter {
namespace {

bool is_of_library(const cell::Call& call) {  // std::get<0>(t)
  const auto* callee = std::get_if<cell::Name>(&call.callee->node);
  return callee != nullptr && cell::is_library_name(callee->text);
}

}  // namespace

Value Assignments::assign(const cell::Assignment& assignment, cell::Span span) {
  if (auto value = frame_.containers.assign(assignment, span)) return std::move(*value);
  const auto* target = assignment.target.get();
  require_no_constant_member(frame_, *target);
  if (const auto* unary = std::get_if<cell::Unary>(&target->node);
      unary != nullptr && unary->op == cell::UnaryOperator::pointee)
    if (const auto* pointee = frame_.addresses.pointee(*unary->operand)) target = pointee;
  if (const auto* call = std::get_if<cell::Call>(&target->node); call != nullptr && language::part_function(*call))
    return assign_part(*call, assignment, span), Nothing{};
  if (const auto* call = std::get_if<cell::Call>(&target->node); call != nullptr && language::is_tie(*call))
    return assign_tied(*call, assignment), Nothing{};
  if (auto value = frame_.object_operators.assign(assignment, span)) return std::move(*value);
  if (const auto* call = std::get_if<cell::Call>(&target->node); call != nullptr && is_of_library(*call))
    return frame_.library_values.assign(*call, assignment, span);
  const auto* name = std::get_if<cell::Name>(&target->node);
  if (auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
      variable != nullptr && std::holds_alternative<std::string>(variable->value) && variable->written == kCharacters) {
    if (variable->read_only) throw language::is_constant(frame_.text, name->text, assignment.target->span);
    if (!assignment.op) return variable->value = frame_.addresses.given(*assignment.value);
    frame_.texts.point(*variable, span);
  }
  if (auto* pointer = name == nullptr ? nullptr : address_variable(name->text)) {
    if (pointer->read_only) throw language::is_constant(frame_.text, name->text, assignment.target->span);
    return assign_address(*pointer, name->text, assignment, span);
  }
  if (name != nullptr && frame_.lookup.is_on_device(name->text))
    if (const auto whole = std::get<Pointer>(frame_.lookup.value(*name, assignment.target->span)); !whole.shape.empty())
      return frame_.vectors.assign(assignment, whole) ? Nothing{} : (assign_array(assignment, whole, span), Nothing{});
  // As C++17 has it: the value first, then what it goes to.
  const bool list = std::holds_alternative<cell::List>(assignment.value->node);
  auto value = list ? Value(Nothing{}) : evaluate(*assignment.value);
  const auto place = frame_.targets.of(*assignment.target);
  if (!assignment.op && frame_.targets.type_of(place).name.ends_with('*') &&
      frame_.addresses.is_moved_array(*assignment.value))
    value = frame_.addresses.of(*assignment.value);  // s.data = x + n
  if (const auto* pointer = std::get_if<Pointer>(&place); pointer != nullptr && !pointer->shape.empty())
    return store_array(*pointer, assignment, list ? nullptr : &value, span), Nothing{};
  if (const auto* selection = std::get_if<Selection>(&place)) {
    const auto& type = selection->view.type;
    if (list && (type.scalar == Scalar::none || type.lanes > 1))
      throw error(ErrorKind::type, "a list in braces has no type here", assignment.value->span)
          .advise("Declare an array with these values first, and assign it.");
    if (list) value = evaluate(*assignment.value);
    return frame_.subscripts.assign(*selection, assignment.op, value, *assignment.value), Nothing{};
  }
  if (!assignment.op && std::holds_alternative<NullPointer>(value) &&
      language::is_handle(frame_.expressions.form(*assignment.target).type.written))
    value = language::ScalarValue::of(0);
  if (list && !assignment.op) value = frame_.elements.value(*assignment.value, frame_.targets.type_of(place));
  if (const auto* object = std::get_if<Object>(&value); object != nullptr && cell::is_library_name(object->type.name)) {
    const auto wanted = frame_.targets.type_of(place);
    if (cell::is_library_name(wanted.name) && (assignment.op || wanted != object->type))
      value = frame_.library_values.assigned(wanted, frame_.targets.load(place), value, assignment, span);
    if (assignment.op && std::holds_alternative<Object>(value)) return frame_.targets.store(place, value, span);
  }
  if (assignment.op) {
    const auto before = frame_.targets.load(place);
    const auto* const added = std::get_if<language::ScalarValue>(&value);
    if (std::holds_alternative<std::string>(before) && added != nullptr && added->is_integer())  // s += 'a' + 1
      value = language::convert(*added, language::Kind::char8);
    if (auto text = frame_.texts.operate(*assignment.op, before, value))
      value = std::move(*text);
    else if (auto moved = frame_.addresses.operate(*assignment.op, before, value, span))  // s.data += n
      value = std::move(*moved);
    else if (has_device_operators(before) || has_device_operators(value))
      value = frame_.array_expressions.operate(*assignment.op, {before, *assignment.target}, {value, *assignment.value},
                                               span);
    else
      value = language::binary(*assignment.op, number(before, assignment.target->span, "the target"),
                               number(value, assignment.value->span, "the value"), where(span));
  }
  auto result = frame_.targets.store(place, value, assignment.value->span);
  frame_.references.stored(*assignment.target, place);
  return result;
}

void Assignments::assign_part(const cell::Call& part, const cell::Assignment& assignment, cell::Span span) {
  const bool list = std::holds_alternative<cell::List>(assignment.value->node);
  const auto value = list ? Value(Nothing{}) : evaluate(*assignment.value);
  const auto target = evaluate(*assignment.target);
  const DeviceOrder::Use use(session_.chosen().order(), frame_.devices.owner_of(part));
  store_array(std::get<Pointer>(target), assignment, list ? nullptr : &value, span);
}

// std::tie(a, std::ignore) = value;
void Assignments::assign_tied(const cell::Call& tie, const cell::Assignment& assignment) {
  auto parts = frame_.members.parts(evaluate(*assignment.value), tie.arguments.size(), assignment.value->span);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& target = *tie.arguments[i].value;
    if (const auto* name = std::get_if<cell::Name>(&target.node); name != nullptr && name->text == "std::ignore")
      continue;
    frame_.targets.store(frame_.targets.of(target), parts[i], target.span);
  }
}

// A name declared T*.
Variable* Assignments::address_variable(const std::string& name) {
  auto* variable = session_.names().find(name);
  const auto* pointer = variable == nullptr ? nullptr : std::get_if<Pointer>(&variable->value);
  return pointer != nullptr && pointer->is_address ? variable : nullptr;
}

// p = x; p += n;
Value Assignments::assign_address(Variable& variable, const std::string& name, const cell::Assignment& assignment,
                                  cell::Span span) {
  if (!assignment.op)
    return frame_.addresses.assign(name, variable, frame_.addresses.given(*assignment.value), *assignment.value);
  const auto value = evaluate(*assignment.value);
  auto moved = frame_.addresses.operate(*assignment.op, evaluate(*assignment.target), value, span);
  const auto* pointer = moved ? std::get_if<Pointer>(&*moved) : nullptr;
  if (pointer == nullptr) throw language::pointer_expected(frame_.text, form_of(value), span);
  variable.value = *pointer;
  return variable.value;
}

// Assigns to a whole array or a module variable, by name.
void Assignments::assign_array(const cell::Assignment& assignment, const Pointer& target, cell::Span span) {
  if (!target.variable || assignment.op || !std::holds_alternative<cell::List>(assignment.value->node))
    return store_array(target, assignment, nullptr, span);
  std::vector<std::byte> bytes(target.bytes);
  frame_.elements.read_array(*assignment.value, target.type, target.shape, bytes);
  session_.submission().write(target.address, bytes);
}

// target = value; target += value; of a whole array or a slice.
void Assignments::store_array(const Pointer& target, const cell::Assignment& assignment, const Value* known,
                              cell::Span span) {
  if (target.read_only && !target.variable)
    throw language::is_constant(frame_.text, target.owner, assignment.target->span);
  const auto* array = target.whole ? session_.arrays().find(target.owner) : nullptr;
  const bool plain = !assignment.op;
  if (const auto* call = std::get_if<cell::Call>(&assignment.value->node); call != nullptr && plain && array != nullptr)
    if (const auto initial = frame_.initial_values.named(*call, assignment.value->span, target.type, target.shape))
      return frame_.initial_values.fill(*initial, *array);
  if (std::holds_alternative<cell::List>(assignment.value->node) && plain && is_contiguous(target)) {
    std::vector<std::byte> bytes(count_of(target.shape) * target.type.size);
    frame_.elements.read_array(*assignment.value, target.type, target.shape, bytes);
    session_.submission().write(target.address, bytes);
    return;
  }
  const auto value = known != nullptr ? *known : evaluate(*assignment.value);
  if (!plain) {
    const auto sum = frame_.array_expressions.combine(
        *assignment.op,
        {array_node(target, assignment.target->span), frame_.array_expressions.node_of(value, *assignment.value)},
        span);
    return frame_.spread_arrays.store(sum, target);
  }
  if (const auto node = frame_.array_expressions.node_if_array(value, *assignment.value)) {
    const auto* from = std::get_if<Pointer>(&value);
    if (from != nullptr && from->type == target.type && from->shape == target.shape && is_contiguous(*from) &&
        is_contiguous(target) && !target.variable) {
      const auto bytes = count_of(target.shape) * target.type.size;
      if (from->address == target.address) return;
      if (from->address >= target.address + bytes || target.address >= from->address + bytes)
        return session_.submission().copy(target.address, from->address, bytes);
    }
    return frame_.spread_arrays.store(node, target);
  }
  fill(target, value, assignment.value->span);
}

void Assignments::fill(const Pointer& target, const Value& value, cell::Span span) {
  std::vector<std::byte> element(target.type.size);
  frame_.elements.read(value, span, target.type, element);
  if (is_contiguous(target))
    return session_.submission().fill({target.address, count_of(target.shape), std::move(element)});
  auto node = std::make_shared<ArrayNode>();
  node->kind = ArrayNode::Kind::scalar;
  node->array.type = target.type;
  node->bytes = std::move(element);
  node->span = span;
  frame_.spread_arrays.store(node, target);
}

}  // namespace xcuda::interpreter
