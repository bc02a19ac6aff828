#include "interpreter/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "cell/expression_root.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/devices/devices.hpp"
#include "interpreter/dimensions.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/host_constants.hpp"
#include "interpreter/launches/launched_calls.hpp"
#include "interpreter/native/object_operators.hpp"
#include "interpreter/places.hpp"
#include "interpreter/session_names.hpp"
#include "language/complaints.hpp"
#include "language/constants.hpp"
#include "session/array_table.hpp"

namespace xcuda::interpreter {

Value Lookup::value(const cell::Name& name, cell::Span span) {
  const auto& text = name.text;
  if (const auto* variable = session_.names().find(text)) {
    if (const auto* object = std::get_if<Object>(&variable->value))
      session_.code().require_current(run_.source, object->type, text, span);
    if (const auto* part = std::get_if<Iterator>(&variable->value); part != nullptr && part->of == nullptr)
      return language::ScalarValue::of(frame_.containers.character(*part, span));
    if (const auto* pointer = std::get_if<Pointer>(&variable->value); pointer != nullptr && pointer->is_address)
      return frame_.addresses.value(text, *pointer, span);
    if (const auto* pointer = std::get_if<Pointer>(&variable->value);
        pointer != nullptr && pointer->shape.empty() && pointer->type.scalar == Scalar::none)
      session_.code().require_current(run_.source, pointer->type, text, span);
    if (const auto* pointer = std::get_if<Pointer>(&variable->value); pointer != nullptr && is_vector(*pointer))
      return Vectors::now(*pointer);
    return variable->value;
  }
  if (const auto* array = session_.arrays().find(text)) {
    session_.code().require_current(run_.source, array->type, text, span);
    return frame_.devices.here(*array);
  }
  if (auto constant = host_constant(session_, run_.sink, text)) return std::move(constant->value);
  if (frame_.object_operators.is_static_member(text)) return frame_.object_operators.static_member(text, span);
  if (const auto variable = session_.variables().find(text)) {
    const auto type = variable->type.empty() ? Type{"unsigned char", 1, 1, Scalar::uint8}
                                             : session_.code().find_type(run_.source, variable->type, span);
    Pointer pointer;
    pointer.owner = text;
    pointer.address = variable->address;
    pointer.type = type;
    pointer.bytes = variable->size;
    pointer.whole = pointer.variable = true;
    pointer.read_only = variable->constant;
    pointer.shape = extents_of(session_, run_.sink, *variable, type);
    if (pointer.shape.size() > kMaxExtents) throw frame_.dimensions.too_many(text, pointer.shape.size(), span);
    return pointer;
  }
  if (text == "__LINE__") return language::ScalarValue::of(run_.source.place(span).line);
  if (text == "__FILE__") return run_.source.name;
  if (language::is_place_name(text)) return frame_.host_function_calls.running_name();
  if (text == "nullptr" || text == "NULL") return NullPointer{};
  if (text == "std::nullopt") return Containers::nothing();
  if (const auto constant = language::known_constant(text)) return *constant;
  if (names_function(text)) return frame_.host_function_calls.note_lambda(text), Function{text};
  if (auto list = frame_.launched_calls.address_of_list(text)) return std::move(*list);
  throw unknown(text, span);
}

bool Lookup::names_function(std::string_view name) {
  name = name.substr(0, name.find('<'));
  auto& code = session_.code();
  return code.program().is_function(name) || code.program().is_kernel_template(name) ||
         !code.modules().find(std::string(name)).empty() || !code.functions().find(name).empty();
}

std::optional<Function> Lookup::function(const cell::Expression& expression) {
  const auto* inner = &cell::without_casts(expression);
  if (const auto* unary = std::get_if<cell::Unary>(&inner->node);
      unary != nullptr && unary->op == cell::UnaryOperator::address)
    inner = unary->operand.get();
  if (auto held = function_in(*inner)) return held;
  const auto* name = std::get_if<cell::Name>(&inner->node);
  if (name == nullptr) return std::nullopt;
  if (const auto* variable = session_.names().find(name->text)) {
    if (const auto* held = std::get_if<Function>(&variable->value)) return *held;
    return referred(*variable);
  }
  if (is_on_device(name->text) || !names_function(name->text)) return std::nullopt;
  frame_.host_function_calls.note_lambda(name->text);
  return Function{name->text};
}

// float (*&f)(float), auto& f: another name of an element.
std::optional<Function> Lookup::referred(const Variable& variable) {
  const auto* place = std::get_if<Pointer>(&variable.value);
  if (place == nullptr || !place->shape.empty() || !is_function_pointer(place->type.name)) return std::nullopt;
  return std::get<Function>(frame_.places.element(*place));
}

std::optional<Function> Lookup::function_in(const cell::Expression& place) {
  const auto* unary = std::get_if<cell::Unary>(&place.node);
  if (unary != nullptr && unary->op == cell::UnaryOperator::pointee)
    if (const auto* name = std::get_if<cell::Name>(&unary->operand->node))  // (*f)(x)
      if (const auto* variable = session_.names().find(name->text))
        if (const auto* held = std::get_if<Function>(&variable->value)) return *held;
  const bool element = std::holds_alternative<cell::Index>(place.node) ||
                       (unary != nullptr && unary->op == cell::UnaryOperator::pointee);
  if (!element && !std::holds_alternative<cell::Member>(place.node) &&
      !std::holds_alternative<cell::Ternary>(place.node))
    return std::nullopt;
  if (frame_.expressions.form(place).kind != language::Form::Kind::function) return std::nullopt;
  const bool followed = unary != nullptr && frame_.expressions.form(*unary->operand).is_array();
  auto value = followed           ? frame_.places.element(frame_.places.of(place))
               : unary != nullptr ? evaluate(*unary->operand)
                                  : evaluate(place);
  if (auto* held = std::get_if<Function>(&value)) return std::move(*held);
  return std::nullopt;
}

const std::string& Lookup::named(const Function& function, cell::Span span) const {
  if (function.name.empty()) {
    const auto text = snippet(run_.source, span);
    throw error(ErrorKind::value, fmt::format("{} points to no function", text), span)
        .advise(fmt::format("Assign one first: {} = scale;", text));
  }
  return function.name;
}

std::string Lookup::function_called(const std::string& name, cell::Span span) {
  const auto* variable = session_.names().find(name);
  if (variable == nullptr) return frame_.host_function_calls.note_lambda(name), name;
  if (const auto* function = std::get_if<Function>(&variable->value)) {
    if (!function->name.empty()) return function->name;
    throw error(ErrorKind::value, fmt::format("{} points to no function", name), span)
        .advise(fmt::format("Assign one first: {} = scale;", name));
  }
  const auto function = referred(*variable);
  return function ? named(*function, span) : name;
}

std::string Lookup::kernel_of(const cell::Launch& launch) {
  const auto span = launch.kernel_span;
  if (launch.callee == nullptr) return function_called(launch.kernel.text, span);
  const auto value = evaluate(*launch.callee);
  if (const auto* function = std::get_if<Function>(&value)) return named(*function, span);
  throw language::not_a_kernel(frame_.text, form_of(value), span);
}

Error Lookup::unknown(const std::string& name, cell::Span span) {
  SessionNames names(session_, run_, nullptr);
  return language::unknown_name(frame_.text, name, span, names, {});
}

bool Lookup::is_on_device(const std::string& name) {
  if (const auto* held = session_.names().find(name)) {
    const auto* pointer = std::get_if<Pointer>(&held->value);
    return pointer != nullptr && pointer->address != 0;
  }
  return session_.arrays().find(name) != nullptr || session_.variables().find(name);
}

bool Lookup::is_type(const std::string& name) {
  if (session_.names().find(name) != nullptr || session_.arrays().find(name) != nullptr) return false;
  const auto& definitions = session_.code().definitions();
  return xcuda::find_type(name) || std::any_of(definitions.begin(), definitions.end(), [&](const Definition& d) {
           return d.piece.name == name &&
                  (d.piece.kind == cell::DeviceKind::type || d.piece.kind == cell::DeviceKind::alias);
         });
}

Variable& Lookup::variable(const cell::Expression& target) {
  const auto* name = std::get_if<cell::Name>(&target.node);
  auto* found = name == nullptr ? nullptr : session_.names().find(name->text);
  if (found == nullptr) {
    if (name != nullptr && host_constant(session_, run_.sink, name->text))
      throw error(ErrorKind::type, fmt::format("{} is a constant of device code: it cannot be assigned to", name->text),
                  target.span);
    if (name != nullptr) throw unknown(name->text, target.span);
    throw language::cannot_be_assigned(frame_.text, target.span);
  }
  if (found->read_only) throw language::is_constant(frame_.text, name->text, target.span);
  return *found;
}

}  // namespace xcuda::interpreter
