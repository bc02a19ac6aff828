#include "interpreter/places.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/launches/streams.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/members.hpp"
#include "interpreter/native/object_operators.hpp"
#include "interpreter/scalars.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/subscripts.hpp"
#include "interpreter/targets.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {

Value Places::element(const Pointer& pointer) {
  if (auto handle = frame_.streams.element(pointer)) return std::move(*handle);
  std::vector<std::byte> bytes(pointer.type.size);
  session_.submission().read(pointer.address, bytes);
  if (pointer.type.name.ends_with('*'))
    if (auto held = frame_.addresses.in_memory(pointer.type, bytes)) return std::move(*held);
  if (is_function_pointer(pointer.type.name)) return frame_.targets.load(pointer.type, bytes);
  if (pointer.type.lanes > 1 || pointer.type.scalar == Scalar::none) return Object{pointer.type, std::move(bytes)};
  return language::ScalarValue::load(pointer.type, bytes);
}

Pointer Places::subscript(const cell::Index& index) {
  return frame_.subscripts.elements(frame_.subscripts.of(index), index.base->span);
}

Pointer Places::of(const cell::Expression& expression) {
  if (const auto* index = std::get_if<cell::Index>(&expression.node)) {
    if (auto place = frame_.object_operators.referred(expression)) return std::move(*place);
    return subscript(*index);
  }
  if (const auto* member = std::get_if<cell::Member>(&expression.node)) {
    if (frame_.members.host_struct(expression) != nullptr)  // a pointer in a struct of the host
      if (auto held = frame_.members.host_value(expression))
        if (auto* pointer = std::get_if<Pointer>(&*held)) return std::move(*pointer);
    return frame_.members.place(*member, expression.span);
  }
  if (const auto* unary = std::get_if<cell::Unary>(&expression.node);
      unary != nullptr && unary->op == cell::UnaryOperator::pointee) {
    if (const auto* pointee = frame_.addresses.pointee(*unary->operand)) return of(*pointee);
    const auto& operand = *unary->operand;  // *(m + 1) is the row after the first
    auto pointee = frame_.addresses.followed(
        frame_.addresses.is_moved_array(operand) ? frame_.addresses.of(operand) : of(operand), operand.span);
    if (pointee.shape.size() > 1) {  // a row
      pointee.shape.erase(pointee.shape.begin());
      if (!pointee.strides.empty()) pointee.strides.erase(pointee.strides.begin());
      pointee.bytes = count_of(pointee.shape) * pointee.type.size;
    } else {
      if (pointee.shape.size() == 1 && pointee.bytes < pointee.type.size)
        throw error(ErrorKind::value,
                    fmt::format("{} is outside of its array, where nothing is", snippet(run_.source, expression.span)),
                    expression.span);
      pointee.shape.clear();
    }
    pointee.is_address = pointee.whole = false;
    return pointee;
  }
  if (const auto& side = frame_.references.chosen(expression); &side != &expression) {
    frame_.references.move_for_address(side);
    return of(side);
  }
  if (frame_.references.may_refer(expression)) {
    auto referred = frame_.references.of(expression);
    if (referred.place)
      if (auto pointer = frame_.references.pointer_to_place(*referred.place, expression)) return std::move(*pointer);
    return elements_of(std::move(referred.value), expression);
  }
  const auto* named = std::get_if<cell::Name>(&expression.node);
  return elements_of(named != nullptr ? frame_.lookup.value(*named, expression.span) : evaluate(expression),
                     expression);
}

Pointer Places::elements_of(Value value, const cell::Expression& expression) {
  if (const auto* text = std::get_if<std::string>(&value))
    return frame_.texts.pointer_to_characters(*text, expression.span);
  if (const auto* computed = std::get_if<ArrayExpression>(&value)) return frame_.arrays.evaluate(computed->node);
  if (const auto* object = std::get_if<Object>(&value)) {  // make(3).rows[1]: what is written to it would be lost
    auto place = frame_.host_function_calls.in_memory(object->type, object->bytes);
    place.owner = snippet(run_.source, expression.span);
    place.read_only = true;
    return place;
  }
  const auto* pointer = std::get_if<Pointer>(&value);
  if (pointer == nullptr) throw language::no_elements(frame_.text, form_of(value), expression.span);
  return *pointer;
}

}  // namespace xcuda::interpreter
