#include "interpreter/elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "arrays/convert.hpp"
#include "cell/library_names.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/native/library_values.hpp"
#include "interpreter/targets.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {
void Elements::store(const language::ScalarValue& value, const Type& type, cell::Span span,
                     std::span<std::byte> bytes) {
  const auto fits = [&] {
    if (!type.is_integer()) return true;  // rounded to the type's precision
    if (value.is_integer())
      return value.is_negative() ? holds_integer(type, value.as_signed()) : holds_unsigned(type, value.as_unsigned());
    return language::converts_exactly(value, type_of(type.scalar));
  };
  if (type.scalar == Scalar::none)
    throw error(ErrorKind::type, fmt::format("cannot convert {} to {}", value.type().name, type.name), span);
  if (!fits())
    throw error(ErrorKind::value, fmt::format("{} does not fit {}", value.text(), type.name), span)
        .advise(fmt::format("If you mean it, convert: ({})(...).", type.name));
  if (type.lanes > 1) {
    if (value.is_integer() && value.is_negative())
      store_integer(type, value.as_signed(), bytes);
    else if (value.is_integer())
      store_unsigned(type, value.as_unsigned(), bytes);
    else
      store_real(type, value.as_real(), bytes);
    return;
  }
  language::convert(value, type).store(bytes);
}

void Elements::read(const cell::Expression& expression, const Type& type, std::span<std::byte> bytes) {
  if (const auto* list = std::get_if<cell::List>(&expression.node)) {
    const bool one = (type.lanes == 1 && type.scalar != Scalar::none) || type.name.ends_with('*');
    if (list->elements.size() == 1 && one) return read(*list->elements[0], type, bytes);
    if (list->elements.empty() && one) return std::fill(bytes.begin(), bytes.end(), std::byte{});  // T x{};
    if (const auto made = frame_.library_values.converted(type, expression))
      return read(*made, expression.span, type, bytes);
    return read_members(pointers_to(list->elements), type, bytes, expression.span);
  }
  if (type.scalar == Scalar::none && !cell::is_library_name(type.name) && frame_.library_values.is_constructed(type)) {
    const auto& form = frame_.expressions.form(expression);
    if (form.is_known() && form.kind != language::Form::Kind::object)  // v.push_back(4)
      return read(*frame_.library_values.converted(type, expression), expression.span, type, bytes);
  }
  const auto value = type.name.ends_with('*') ? frame_.addresses.given(expression) : evaluate(expression);
  read(value, expression.span, type, bytes);
}

// P{1, 2}, P p(1, 2): the members in order, the others zero.
void Elements::read_members(const std::vector<const cell::Expression*>& given, const Type& type,
                            std::span<std::byte> bytes, cell::Span span) {
  std::vector<StructMember> members;
  const bool complex = type.scalar == Scalar::complex64 || type.scalar == Scalar::complex128;
  if (type.lanes > 1 || complex) {
    const auto lane = type_of(type.scalar == Scalar::complex64    ? Scalar::float32
                              : type.scalar == Scalar::complex128 ? Scalar::float64
                                                                  : type.scalar);
    for (int i = 0; i < (complex ? 2 : type.lanes); ++i)
      members.push_back({"", lane, {}, static_cast<std::size_t>(i) * lane.size});
  } else if (type.scalar == Scalar::none) {
    members = session_.code().members_of(type);
    if (members.empty() && !given.empty())
      throw error(ErrorKind::unsupported, fmt::format("statements do not know the members of {}", type.name), span);
  } else {
    throw error(ErrorKind::type, fmt::format("expected one {1}, got a list of {0} values", given.size(), type.name),
                span);
  }
  const bool one_array = members.size() == 1 && !members[0].shape.empty();
  if (one_array && !given.empty() && !std::holds_alternative<cell::List>(given[0]->node)) {  // of a std::array
    const auto& member = members[0];
    if (given.size() > member.shape[0])
      throw error(ErrorKind::value,
                  fmt::format("the list has {} values, but {} has {}", given.size(), type.name, member.shape[0]), span);
    for (std::size_t i = 0; i < given.size(); ++i)
      read(*given[i], member.type, bytes.subspan(member.offset + i * member.type.size, member.type.size));
    return;
  }
  if (given.size() > members.size())
    throw error(ErrorKind::type,
                fmt::format("{} has {} members, but got {} values", type.name, members.size(), given.size()), span);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto& member = members[i];
    const auto* inner = std::get_if<cell::List>(&given[i]->node);
    const auto* text = std::get_if<cell::StringLiteral>(&given[i]->node);
    if (text != nullptr && member.shape.size() == 1 && member.type.name == "char") {  // char name[8]
      if (text->value.size() >= member.shape[0])
        throw error(ErrorKind::value,
                    fmt::format("the string does not fit {}: it has {} characters and a final 0", member.name,
                                text->value.size()),
                    given[i]->span);
      std::memcpy(bytes.data() + member.offset, text->value.data(), text->value.size());
    } else if (!member.shape.empty() && inner != nullptr) {
      rows(*inner, member.type, member.shape, bytes.subspan(member.offset, count_of(member.shape) * member.type.size));
    } else {
      read(*given[i], member.type, bytes.subspan(member.offset, member.type.size));
    }
  }
}

void Elements::read(const Value& value, cell::Span span, const Type& type, std::span<std::byte> bytes) {
  if (is_function_pointer(type.name)) {
    const auto held = frame_.targets.number_of_function(value, span);
    std::memcpy(bytes.data(), held.data(), held.size());
    return;
  }
  if (const auto* object = std::get_if<Object>(&value)) {
    if (const auto base = frame_.references.part_of_base(*object, type)) return read(*base, span, type, bytes);
    if (object->type != type)
      throw error(ErrorKind::type, fmt::format("expected a {1}, got a {0}", object->type.name, type.name), span);
    const auto held = frame_.lifetimes.owned(value, span);
    std::memcpy(bytes.data(), std::get<Object>(held).bytes.data(), bytes.size());
    return;
  }
  const auto* number = std::get_if<language::ScalarValue>(&value);
  if (type.name.ends_with('*')) {
    const bool zero = number != nullptr && number->is_integer() && !number->truth();
    const auto address = frame_.targets.address_of(zero ? Value(NullPointer{}) : value, type, span);
    std::memcpy(bytes.data(), address.data(), address.size());
    return;
  }
  if (type.name == "dim3" || std::holds_alternative<Container>(value)) {
    const auto held = frame_.targets.bytes_of(value, type, span);
    std::memcpy(bytes.data(), held.data(), held.size());
    return;
  }
  if (number == nullptr)
    throw error(ErrorKind::type, fmt::format("{} cannot initialise {}", snippet(run_.source, span), type.name), span);
  store(*number, type, span, bytes);
}

void Elements::read_array(const cell::Expression& expression, const Type& type, const std::vector<std::uint64_t>& shape,
                          std::span<std::byte> bytes) {
  const auto* list = std::get_if<cell::List>(&expression.node);
  if (list == nullptr) {
    read(expression, type, bytes.first(type.size));
    for (auto at = type.size; at < bytes.size(); at += type.size)
      std::memcpy(bytes.data() + at, bytes.data(), type.size);
    return;
  }
  const bool nested = std::any_of(list->elements.begin(), list->elements.end(),
                                  [](const auto& e) { return std::holds_alternative<cell::List>(e->node); });
  if (nested || (!type.is_integer() && !type.is_floating())) return rows(*list, type, shape, bytes);
  const std::uint64_t flat[] = {count_of(shape)};  // int a[2][2] = {1, 2, 3, 4}, as C++ allows
  rows(*list, type, flat, bytes);
}

void Elements::rows(const cell::List& list, const Type& type, std::span<const std::uint64_t> shape,
                    std::span<std::byte> bytes) {
  if (list.elements.size() > shape[0])
    throw error(ErrorKind::value,
                fmt::format("the list has {} values, but the extent is {}", list.elements.size(), shape[0]),
                list.elements[shape[0]]->span);
  const auto step = bytes.size() / shape[0];
  for (std::size_t i = 0; i < list.elements.size(); ++i) {
    const auto& item = *list.elements[i];
    const auto part = bytes.subspan(i * step, step);
    if (shape.size() == 1) {
      read(item, type, part);
      continue;
    }
    const auto* inner = std::get_if<cell::List>(&item.node);
    if (inner == nullptr)
      throw error(ErrorKind::type, fmt::format("expected a row of {}, got one value", shape[1]), item.span)
          .advise("Put each row in braces: {{1, 2}, {3, 4}}.");
    rows(*inner, type, shape.subspan(1), part);
  }
}

Pointer Elements::array(const cell::List& list, cell::Span span) {
  std::vector<std::uint64_t> shape;
  std::vector<language::ScalarValue> values;
  std::optional<language::Kind> kind;
  const auto add = [&](const cell::List& row, std::size_t depth, const auto& again) -> void {
    if (row.elements.empty()) throw language::list_without_type(frame_.text, span);
    if (shape.size() == depth) shape.push_back(row.elements.size());
    const bool rows = std::holds_alternative<cell::List>(row.elements[0]->node);
    const bool deepest = !values.empty() && shape.size() == depth + 1;
    if (shape[depth] != row.elements.size() || (deepest && rows) || (!rows && shape.size() != depth + 1))
      throw error(ErrorKind::value, "the rows of the list differ in length", span);
    for (const auto& one : row.elements) {
      const auto* inner = std::get_if<cell::List>(&one->node);
      if ((inner != nullptr) != rows) throw error(ErrorKind::value, "the rows of the list differ in length", span);
      if (inner != nullptr) {
        again(*inner, depth + 1, again);
        continue;
      }
      values.push_back(number(*one, "an element of a list"));
      const auto own = values.back().kind();
      kind = !kind || *kind == own ? own : language::common_kind(*kind, own);
    }
  };
  add(list, 0, add);
  const auto type = language::type_of(*kind);
  std::vector<std::byte> bytes(values.size() * type.size);
  for (std::size_t i = 0; i < values.size(); ++i)
    language::convert(values[i], type).store(std::span(bytes).subspan(i * type.size, type.size));
  auto made = frame_.arrays.temporary(type, shape);
  session_.submission().write(made.address, bytes);
  return made;
}

Value Elements::value(const cell::Expression& expression, const Type& type) {
  std::vector<std::byte> bytes(type.size);
  read(expression, type, bytes);
  return frame_.lifetimes.made(frame_.targets.load(type, bytes));
}

Value Elements::value(const Value& value, cell::Span span, const Type& type) {
  std::vector<std::byte> bytes(type.size);
  read(value, span, type, bytes);
  return frame_.lifetimes.made(frame_.targets.load(type, bytes));
}

}  // namespace xcuda::interpreter
