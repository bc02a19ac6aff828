#include "interpreter/host/host_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "cell/library_names.hpp"
#include "cell/type_word.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/native/library_values.hpp"
#include "interpreter/places.hpp"
#include "interpreter/records/exceptions.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/targets.hpp"
#include "language/complaints.hpp"
#include "language/host/vector_types.hpp"

namespace xcuda::interpreter {

// What a vector is made of: as many elements as `count`, from an array or a pattern for each.
Pointer Vectors::now(Pointer vector) {
  vector.address = vector.growth->address;
  vector.shape = {vector.growth->size};
  vector.bytes = vector.growth->size * vector.type.size;
  return vector;
}

void Vectors::declare(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  const auto type = element_type(declaration.type, declaration.type_span);
  const auto* list = declarator.init == nullptr ? nullptr : std::get_if<cell::List>(&declarator.init->node);
  auto given = pointers_to(declarator.constructor);
  if (list != nullptr) given = pointers_to(list->elements);
  if (list == nullptr && declarator.init != nullptr) given = {declarator.init.get()};
  const bool braces = list != nullptr || (given.size() > 1 && declarator.style == cell::Declarator::Init::braces);
  const auto elements = read(given, braces ? Form::list : Form::arguments, type, declarator.name_span);
  define(declaration, declarator, type, elements);
}

// A copy: a parameter that is not a reference.
void Vectors::declare(const cell::Declaration& declaration, const cell::Declarator& declarator,
                      const Pointer& elements) {
  const auto count = elements.shape.empty() ? 0 : elements.shape.front();
  define(declaration, declarator, elements.type, {.count = count, .from = elements});
}

void Vectors::define(const cell::Declaration& declaration, const cell::Declarator& declarator, const Type& type,
                     const Elements& elements) {
  const auto capacity = std::max<std::uint64_t>(elements.count, 1);
  auto array =
      session_.arrays().allocate(run_, {declarator.name, type, {capacity}, declaration.is_const, declarator.name_span});
  let_grow(array, capacity);
  write(elements, type, array.address);
  array.shape = {elements.count};
  array.count = array.growth->size = elements.count;
  session_.submission().name_range(named_range(array));
  session_.arrays().define(std::move(array));
}

Pointer Vectors::kept(const Type& type, const Elements& elements, cell::Span span) {
  const auto capacity = std::max<std::uint64_t>(elements.count, 1);
  auto array = session_.arrays().allocate(run_, {"an element", type, {capacity}, false, span});
  write(elements, type, array.address);
  array.shape = {elements.count};
  array.count = elements.count;
  auto pointer = pointer_to(array);
  pointer.growth = keep_vector(session_.arrays(), std::move(array));
  pointer.growth->size = elements.count;
  return pointer;
}

Pointer Vectors::kept(const std::string& type, const std::vector<const cell::Expression*>& given, Form form,
                      cell::Span span) {
  const auto element = element_type(type, span);
  return kept(element, read(given, form, element, span), span);
}

Pointer Vectors::kept(const std::string& type, const Value& value, cell::Span span) {
  const auto element = element_type(type, span);
  const cell::Expression place{span, cell::Name{}};
  return kept(element, of_value(value, element, place), span);
}

void Vectors::append(const Value& vector, const Value& value, cell::Span span) {
  const auto* held = std::get_if<Pointer>(&vector);
  if (held == nullptr || !is_vector(*held))
    throw error(ErrorKind::type, fmt::format("{} is not a std::vector", snippet(run_.source, span)), span);
  auto& growth = *held->growth;
  const auto bytes = frame_.targets.bytes_of(value, held->type, span);
  session_.arrays().resize(run_, growth, growth.size + 1, 0, span);
  session_.submission().write(growth.address + (growth.size - 1) * held->type.size, bytes);
}

Pointer Vectors::as_vector(Pointer elements) {
  const auto count = elements.shape.front();
  if (elements.growth == nullptr) elements.growth = std::make_shared<Growth>(Growth{elements.address, count, count});
  elements.whole = true;
  return elements;
}

Pointer Vectors::copy_of(const Pointer& elements) {
  auto copy = frame_.arrays.temporary(elements.type, elements.shape);
  if (elements.shape.front() > 0)
    session_.submission().copy(copy.address, elements.address, elements.shape.front() * elements.type.size);
  return as_vector(std::move(copy));
}

std::optional<Value> Vectors::made(const cell::Expression& expression) {
  if (language::made_vector(expression).empty()) return std::nullopt;
  const auto* cast = std::get_if<cell::Cast>(&expression.node);
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto& name = cast != nullptr ? cast->type : std::get<cell::Name>(call->callee->node).text;
  const auto type = element_type(name, expression.span);
  const auto* list = cast == nullptr ? nullptr : std::get_if<cell::List>(&cast->operand->node);
  const auto given = call != nullptr   ? pointers_to(call->arguments)
                     : list != nullptr ? pointers_to(list->elements)
                                       : std::vector<const cell::Expression*>{cast->operand.get()};
  const auto elements = read(given, list != nullptr ? Form::list : Form::arguments, type, expression.span);
  auto made = frame_.arrays.temporary(type, {elements.count});
  write(elements, type, made.address);
  return as_vector(std::move(made));
}

bool Vectors::assign(const cell::Assignment& assignment, const Pointer& target) {
  if (!is_vector(target) || assignment.op) return false;
  if (target.read_only) throw language::is_constant(frame_.text, target.owner, assignment.target->span);
  const auto* list = std::get_if<cell::List>(&assignment.value->node);
  const auto value = list != nullptr ? Value(Nothing{}) : evaluate(*assignment.value);
  if (std::holds_alternative<language::ScalarValue>(value))
    return false;  // v = 3: each of its elements, as of any array
  auto elements = list != nullptr ? read(pointers_to(list->elements), Form::list, target.type, assignment.value->span)
                                  : of_value(value, target.type, *assignment.value);
  if (elements.count != target.growth->size) {
    if (elements.from || elements.computed != nullptr) {  // its memory may be that of the target
      auto copy = frame_.arrays.temporary(target.type, {elements.count});
      write(elements, target.type, copy.address);
      elements = {.count = elements.count, .from = copy};
    }
    session_.arrays().resize(run_, *target.growth, elements.count, 0, assignment.target->span);
  }
  write(elements, target.type, target.growth->address);
  return true;
}

// The number of the element that an iterator of the vector is at.
std::uint64_t Vectors::position(const cell::Expression& expression, const Pointer& vector) {
  const auto& growth = *vector.growth;
  const auto value = frame_.addresses.given(expression);
  if (std::holds_alternative<NullPointer>(value)) return 0;  // of an empty vector
  const auto* held = std::get_if<Pointer>(&value);
  if (held == nullptr) throw language::pointer_expected(frame_.text, form_of(value), expression.span);
  const auto address = held->address;
  const auto at = (address - growth.address) / std::max<std::size_t>(vector.type.size, 1);
  if (address < growth.address || at > growth.size)
    throw error(ErrorKind::value,
                fmt::format("{} is not a place in {}", snippet(run_.source, expression.span), vector.owner),
                expression.span);
  return at;
}

Value Vectors::iterator(const Pointer& vector, std::uint64_t at) {
  const auto& growth = *vector.growth;
  if (growth.size == 0) return NullPointer{};
  auto place = vector;
  place.address = growth.address + at * vector.type.size;
  place.shape = {growth.size - at};
  place.bytes = (growth.size - at) * vector.type.size;
  place.growth.reset();
  place.is_address = true;
  place.whole = false;
  return place;
}

std::optional<Pointer> Vectors::named(const cell::Expression& expression) {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  if (name == nullptr || !frame_.lookup.is_on_device(name->text)) return std::nullopt;
  auto value = frame_.lookup.value(*name, expression.span);
  auto* held = std::get_if<Pointer>(&value);
  return held != nullptr && is_vector(*held) ? std::optional(std::move(*held)) : std::nullopt;
}

std::optional<Pointer> Vectors::element(const cell::Call& call, const cell::Member& member, cell::Span span) {
  using language::VectorOperation;
  const auto* row = member.arrow ? nullptr : language::find_vector_method(member.member);
  const bool at = row != nullptr && row->operation == VectorOperation::at;
  const bool back = row != nullptr && row->operation == VectorOperation::back;
  if (!at && !back && (row == nullptr || row->operation != VectorOperation::front)) return std::nullopt;
  auto vector = named(*member.base);
  if (!vector || call.arguments.size() != row->least) return std::nullopt;
  const auto size = vector->growth->size;
  if (size == 0 && !at)
    throw error(ErrorKind::value, fmt::format("{} is empty", snippet(run_.source, member.base->span)), span);
  const auto i = at ? number(*call.arguments[0].value, "a subscript")
                    : language::ScalarValue::of(back ? size - 1 : std::uint64_t{0});
  if (!i.is_integer() || i.is_negative() || i.as_unsigned() >= size)
    frame_.exceptions.raise(
        language::out_of_bounds(frame_.text, i, snippet(run_.source, member.base->span), size,
                                call.arguments[0].value->span),
        {"std::out_of_range", Exceptions::range_text(vector->type.name == "bool" ? "vector<bool>::_M_range_check: __n"
                                                                                 : "vector::_M_range_check: __n",
                                                     i, ">= this->size()", size)});
  vector->address += i.as_unsigned() * vector->type.size;
  vector->bytes -= i.as_unsigned() * vector->type.size;
  vector->shape.clear();
  vector->whole = false;
  vector->growth.reset();
  return vector;
}

std::optional<Value> Vectors::call(const cell::Call& call, const cell::Member& member, cell::Span span) {
  if (auto place = element(call, member, span)) return frame_.places.element(*place);
  const auto* row = member.arrow ? nullptr : language::find_vector_method(member.member);
  const auto held = row == nullptr ? std::nullopt : named(*member.base);
  if (!held) return std::nullopt;
  const auto& vector = *held;
  auto& growth = *vector.growth;
  const auto name = snippet(run_.source, member.base->span);
  if (call.arguments.size() < row->least || call.arguments.size() > row->most)
    throw language::unknown_vector_method(frame_.text, member, call.callee->span);
  if (language::changes(row->operation) && vector.read_only)
    throw language::is_constant(frame_.text, name, member.base->span);
  const auto argument = [&](std::size_t i) -> const cell::Expression& { return *call.arguments[i].value; };
  const auto count = [&](std::size_t i) {
    const auto given = number(argument(i), "a number of elements");
    if (!given.is_integer() || given.is_negative())
      throw error(ErrorKind::value, fmt::format("a std::vector cannot have {} elements", given.text()),
                  argument(i).span);
    return given.as_unsigned();
  };
  const auto pattern_of = [&](std::size_t i) {
    std::vector<std::byte> bytes(vector.type.size);
    frame_.elements.read(argument(i), vector.type, bytes);
    return bytes;
  };
  const auto end = [&](std::uint64_t first, std::uint64_t last) {  // destructors of those that are taken away
    if (first >= last) return;
    auto elements = vector;
    elements.address += first * vector.type.size;
    elements.shape = {last - first};
    elements.bytes = (last - first) * vector.type.size;
    elements.whole = false;
    frame_.lifetimes.end(std::move(elements));
  };
  using language::VectorOperation;
  switch (row->operation) {
    case VectorOperation::size: return language::ScalarValue::of(growth.size);
    case VectorOperation::capacity: return language::ScalarValue::of(growth.capacity);
    case VectorOperation::empty: return language::ScalarValue::of(growth.size == 0);
    case VectorOperation::begin:
    case VectorOperation::end: {
      if (growth.size == 0 && member.member != "data") return NullPointer{};  // begin() == end()
      auto pointer = vector;
      pointer.growth.reset();
      pointer.is_address = true;
      pointer.whole = false;
      if (row->operation == VectorOperation::begin) return pointer;
      pointer.address += pointer.bytes;
      pointer.bytes = 0;
      pointer.shape = {0};
      return pointer;
    }
    case VectorOperation::at:
    case VectorOperation::front:
    case VectorOperation::back: break;  // element()
    case VectorOperation::push_back: {
      if (cell::type_word(vector.type.name) != cell::TypeWord::none)
        throw error(ErrorKind::unsupported,
                    fmt::format("each element of {} is a {} of its own", name, vector.type.name), argument(0).span)
            .advise(fmt::format("Give it its size, {0}.resize(n);, and use its elements: {0}[i].", name));
      const auto bytes = call.arguments.size() == 1  // which may be an element of it
                             ? pattern_of(0)
                             : made_of(pointers_to(call.arguments), vector.type, span);
      session_.arrays().resize(run_, growth, growth.size + 1, 0, span);
      session_.submission().write(growth.address + (growth.size - 1) * vector.type.size, bytes);
      return Nothing{};
    }
    case VectorOperation::pop_back:
      if (growth.size == 0) throw error(ErrorKind::value, fmt::format("{} is empty", name), span);
      end(growth.size - 1, growth.size);
      session_.arrays().resize(run_, growth, growth.size - 1, 0, span);
      break;
    case VectorOperation::resize: {
      const auto before = growth.size, after = count(0);
      Elements more;
      if (after > before && call.arguments.size() < 2) more = without_value(after - before, vector.type);
      if (call.arguments.size() > 1) more.pattern = pattern_of(1);
      more.count = after > before ? after - before : 0;
      end(after, before);
      session_.arrays().resize(run_, growth, after, 0, span);
      write(more, vector.type, growth.address + before * vector.type.size);
      break;
    }
    case VectorOperation::reserve: session_.arrays().resize(run_, growth, growth.size, count(0), span); break;
    case VectorOperation::clear: end(0, growth.size), session_.arrays().resize(run_, growth, 0, 0, span); break;
    case VectorOperation::assign: {
      auto elements = read(pointers_to(call.arguments), Form::arguments, vector.type, span);
      if (elements.from) elements.from = copy_of(*elements.from);
      session_.arrays().resize(run_, growth, elements.count, 0, span);
      write(elements, vector.type, growth.address);
      break;
    }
    case VectorOperation::insert: {
      const auto at = position(argument(0), vector);
      auto moved = pattern_of(1);
      const auto step = moved.size(), tail = (growth.size - at) * step;
      moved.resize(step + tail);
      session_.submission().read(growth.address + at * step, std::span(moved).subspan(step));
      session_.arrays().resize(run_, growth, growth.size + 1, 0, span);
      session_.submission().write(growth.address + at * step, moved);
      return iterator(vector, at);
    }
    case VectorOperation::erase: {
      const auto first = position(argument(0), vector);
      const auto last = call.arguments.size() > 1 ? position(argument(1), vector) : first + 1;
      if (first > last || last > growth.size)
        throw error(ErrorKind::value, fmt::format("there is nothing to erase there in {}", name), span);
      const auto step = vector.type.size;
      end(first, last);
      std::vector<std::byte> tail((growth.size - last) * step);
      session_.submission().read(growth.address + last * step, tail);
      session_.submission().write(growth.address + first * step, tail);
      session_.arrays().resize(run_, growth, growth.size - (last - first), 0, span);
      return iterator(vector, first);
    }
    case VectorOperation::fit: break;
  }
  return Nothing{};
}

}  // namespace xcuda::interpreter
