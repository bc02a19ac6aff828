#include "interpreter/containers/moves.hpp"

#include <utility>

#include "interpreter/containers/containers.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/places.hpp"
#include "session/array_table.hpp"
#include "session/container_data.hpp"

namespace xcuda::interpreter {
namespace {

// As g++'s library leaves what it has moved from: texts, vectors and containers are empty, numbers stay.
void leave_empty(Frame& frame, Variable& variable) {
  if (auto* text = std::get_if<std::string>(&variable.value)) return text->clear();
  if (auto* vector = std::get_if<Pointer>(&variable.value); vector != nullptr && is_vector(*vector))
    return frame.session.arrays().resize(frame.run, *vector->growth, 0, 0, frame.run.current);
  auto* container = std::get_if<Container>(&variable.value);
  if (container == nullptr) return;
  auto& data = *container->data;
  if (data.record != nullptr || data.type.kind == cell::ContainerKind::pair ||
      data.type.kind == cell::ContainerKind::array) {
    for (const auto& item : data.items) leave_empty(frame, *item);
    return;
  }
  data.items.clear();
  data.sorted.clear();
  data.hashed.clear();
}

}  // namespace

bool is_moved(const cell::Source& source, const cell::Expression& expression) {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  const auto [begin, end] = expression.span;
  if (name == nullptr || end - begin <= name->text.size() || end > source.text.size()) return false;
  const auto text = std::string_view(source.text).substr(begin, end - begin);
  return text.starts_with("std::move") || text.starts_with("move");
}

std::optional<Value> moved(Frame& frame, const cell::Expression& expression) {
  const auto& name = std::get<cell::Name>(expression.node).text;
  auto* variable = frame.session.names().find(name);
  auto value = frame.lookup.value({name}, expression.span);
  if (auto* vector = std::get_if<Pointer>(&value); vector != nullptr && is_vector(*vector) && !vector->read_only) {
    auto copy = frame.vectors.copy_of(*vector);
    frame.session.arrays().resize(frame.run, *vector->growth, 0, 0, expression.span);
    return copy;
  }
  if (variable == nullptr || variable->read_only) return std::nullopt;
  if (const auto* place = std::get_if<Pointer>(&value); place != nullptr && place->shape.empty() && !place->is_address)
    value = frame.places.element(*place);
  if (const auto* object = std::get_if<Object>(&value)) {
    if (!frame.lifetimes.rules_of(object->type).copies) return std::nullopt;
    return frame.host_function_calls.moved(*object, expression);
  }
  const bool text = std::holds_alternative<std::string>(variable->value) && variable->written != kCharacters;
  if (!text && !std::holds_alternative<Container>(variable->value)) return std::nullopt;
  auto result = frame.containers.owned(variable->value);
  leave_empty(frame, *variable);
  return result;
}

}  // namespace xcuda::interpreter
