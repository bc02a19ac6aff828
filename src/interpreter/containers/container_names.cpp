// Names for containers and their elements.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cell/type_word.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/declarations.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/places.hpp"
#include "interpreter/session_names.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {

bool Containers::declare(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  if (declarator.pointer || declarator.reference) return false;
  auto type = declaration.type;
  if (!declarator.extents.empty()) {  // std::vector<int> near[8];
    if (!cell::is_of_host(type)) return false;
    const auto extents = frame_.declarations.extents(declarator);
    for (auto extent = extents.rbegin(); extent != extents.rend(); ++extent)
      type = fmt::format("std::array<{}, {}>", type, *extent);
  } else if (!cell::container_type(type)) {
    return false;
  }
  Given given;
  auto braces = Braces::no;
  const auto* list = declarator.init == nullptr ? nullptr : std::get_if<cell::List>(&declarator.init->node);
  if (list != nullptr) {
    for (const auto& one : list->elements) given.push_back(one.get());
    braces = Braces::yes;
  } else if (declarator.init != nullptr) {
    given = {declarator.init.get()};
  }
  for (const auto& one : declarator.constructor) given.push_back(one.value.get());
  const bool equals = declarator.style == cell::Declarator::Init::equals && list == nullptr;
  auto value = equals ? converted(type, *declarator.init) : made(type, given, braces, declarator.name_span);
  frame_.declarations.define(declaration, declarator, std::move(value));
  return true;
}

bool Containers::refers(const cell::Expression& expression) {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  const auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
  return name != nullptr ? variable != nullptr && std::holds_alternative<Container>(variable->value)
                         : is_part(expression);
}

Iterator Containers::beginning(const Container& container) const {
  const auto& data = *container.data;
  if (!data.type.is(cell::kSequences) && !data.type.is(cell::kMaps) && !data.type.is(cell::kSets))
    throw error(ErrorKind::type, fmt::format("a loop cannot run over a {}", data.name), run_.current);
  return first_of(container, Way::forward);
}

ItemPtr Containers::visited(Iterator& at, std::uint64_t pass, std::uint64_t size, cell::Span span) {
  const auto& data = *at.of;
  if (data.type.is(cell::kIndexed) && data.items.size() != size)
    throw error(
        ErrorKind::value,
        fmt::format("the body of the loop changed the number of elements from {} to {}", size, data.items.size()), span)
        .advise("C++ does not define what comes then. Loop over the index: for (std::size_t i = 0; i < v.size(); ++i)");
  if (pass > 0) at = moved(at, 1, span);
  const bool end = data.type.is(cell::kIndexed) ? at.index >= data.items.size() : at.item == nullptr;
  return end ? nullptr : pointee(at, span);
}

std::vector<ItemPtr> Containers::parts(const Container& pair, std::size_t names, cell::Span span) {
  const auto& items = pair.data->items;
  if (items.size() != names) throw language::wrong_number_of_parts(frame_.text, span, items.size(), names);
  return {items.begin(), items.end()};
}

void Containers::bind(const cell::Declaration& variable, const cell::Declarator& declarator, const ItemPtr& one,
                      Access access) {
  const bool constant = access == Access::reads;
  const auto& held = *one;
  if (declarator.reference) {
    session_.arrays().undefine_here(declarator.name);
    const auto* number = std::get_if<language::ScalarValue>(&held.value);
    const auto type = number == nullptr || !constant ? std::nullopt : xcuda::find_type(variable.type);
    if (const auto kind = type ? language::kind_of(*type) : std::nullopt; kind && *kind != number->kind()) {
      // const double& x = v[0]; of integers: a value of its own
      session_.names().declare(declarator.name, {language::convert(*number, *kind), true, run_.source.name});
    } else if (constant && !held.read_only) {
      session_.names().declare(declarator.name, {held.value, true, held.defined, held.written, one});
    } else {
      session_.names().alias(declarator.name, one);
    }
    return;
  }
  auto value = value_of(held, declarator.name_span);
  if (const auto* pointer = std::get_if<Pointer>(&value); pointer != nullptr && is_vector(*pointer))
    return frame_.vectors.declare(variable, declarator, *pointer);
  const auto type = xcuda::find_type(variable.type);
  if (const auto* number = std::get_if<language::ScalarValue>(&value);
      number != nullptr && type && language::kind_of(*type))
    value = language::convert(*number, *type);
  session_.arrays().undefine_here(declarator.name);
  session_.names().declare(declarator.name, {owned(std::move(value)), constant, run_.source.name});
}

char& Containers::character(const Iterator& reference, cell::Span span) {
  bool there = reference.item.use_count() > 0;
  if (!there) session_.names().for_each([&](const Variable& one) { there = there || &one == reference.item.get(); });
  auto* text = there ? std::get_if<std::string>(&reference.item->value) : nullptr;
  if (text == nullptr || reference.index >= text->size())
    throw error(ErrorKind::value,
                fmt::format("{} refers to a character that no longer exists", snippet(run_.source, span)), span)
        .advise("Write s[i], or make the reference again after the text has changed.");
  return (*text)[reference.index];
}

Value Containers::value_of(const Variable& variable, cell::Span span) {
  const auto* pointer = std::get_if<Pointer>(&variable.value);
  if (pointer == nullptr) return variable.value;
  if (is_vector(*pointer)) return Vectors::now(*pointer);
  if (pointer->is_address) return frame_.addresses.value(snippet(run_.source, span), *pointer, span);
  return pointer->shape.empty() ? frame_.places.element(*pointer) : Value(*pointer);
}

std::string Containers::type_of(const Value& value, cell::Span span) {
  if (const auto* number = std::get_if<language::ScalarValue>(&value)) return number->type().name;
  if (std::holds_alternative<std::string>(value)) return "std::string";
  if (const auto* object = std::get_if<Object>(&value)) return object->type.name;
  if (const auto* container = std::get_if<Container>(&value)) return container->data->name;
  const auto* pointer = std::get_if<Pointer>(&value);
  if (pointer == nullptr)
    throw error(ErrorKind::type, fmt::format("a container cannot hold {}", language::describe(form_of(value))), span);
  return is_vector(*pointer) ? fmt::format("std::vector<{}>", pointer->type.name) : pointer->type.name + "*";
}

// char& c = s[0];
void Containers::refer(const std::string& name, const cell::Expression& place, const ItemPtr& kept,
                       std::span<const std::byte> character) {
  const auto* index = std::get_if<cell::Index>(&place.node);
  const auto& base =
      index != nullptr ? *index->base : *std::get<cell::Member>(std::get<cell::Call>(place.node).callee->node).base;
  auto* text = session_.names().find(std::get<cell::Name>(base.node).text);
  const auto at = reinterpret_cast<const char*>(character.data()) - std::get<std::string>(text->value).data();
  const auto item = kept != nullptr ? kept : ItemPtr(std::shared_ptr<void>(), text);
  session_.arrays().undefine_here(name);
  session_.names().declare(
      name, {Iterator{nullptr, static_cast<std::size_t>(at), item, false, false}, false, run_.source.name});
}

}  // namespace xcuda::interpreter
