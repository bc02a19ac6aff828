#include "interpreter/members.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arrays/array_math.hpp"
#include "base/lane_names.hpp"
#include "base/text.hpp"
#include "cell/expression_root.hpp"
#include "cell/library_names.hpp"
#include "cell/parse.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/composed/composition.hpp"
#include "interpreter/composed/sparse_matrices.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/native/class_definition.hpp"
#include "interpreter/native/library_values.hpp"
#include "interpreter/places.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/targets.hpp"
#include "language/array_members.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {
using language::ArrayMember;
using language::SparseMember;
namespace {

// Where the member's name is in an expression that ends with it.
cell::Span member_span(const cell::Member& member, cell::Span whole) {
  return {whole.end - static_cast<std::uint32_t>(member.member.size()), whole.end};
}

// The member of a std::array that holds its elements.
StructMember elements_in(const CellRun& run, const Type& array, std::vector<StructMember> members, cell::Span span) {
  if (!members.empty()) return std::move(members.front());
  throw Error(ErrorKind::unsupported, fmt::format("statements do not know the elements of {}", array.name))
      .at(run.source.place(span))
      .advise("They know those of std::array. A function of a cell, or a cell with %%cuda, reaches them.");
}

}  // namespace

Variable* Members::host_struct(const cell::Expression& expression) {
  const auto* name = std::get_if<cell::Name>(&cell::root_of(expression).node);
  auto* found = name == nullptr ? nullptr : session_.names().find(name->text);
  auto* object = found == nullptr ? nullptr : std::get_if<Object>(&found->value);
  return object != nullptr && !leaves(*object, expression) ? found : nullptr;
}

// net.data[3], list.first->value: through a pointer in the struct, to memory; m[1].x: through an operator. By types
// alone: the effects of subscripts happen once, when the part is found.
bool Members::leaves(const Object& object, const cell::Expression& expression) {
  return !part_type(object, expression).has_value();
}

std::optional<Members::PartType> Members::part_type(const Object& object, const cell::Expression& expression) {
  const auto* member = std::get_if<cell::Member>(&expression.node);
  const auto* index = std::get_if<cell::Index>(&expression.node);
  if (member == nullptr && index == nullptr) return PartType{object.type, {}};
  const auto& base = member != nullptr ? *member->base : *index->base;
  auto part = part_type(object, base);
  if (!part) return std::nullopt;
  const bool pointer = part->shape.empty() && part->type.name.ends_with('*');
  if (member != nullptr) {
    if (member->arrow && pointer && !std::holds_alternative<cell::Name>(base.node)) return std::nullopt;
    if (!part->shape.empty()) return part;  // an error, which host_part() says
    auto found = of(part->type, *member, expression.span);
    return PartType{std::move(found.type), std::move(found.shape)};
  }
  for (std::size_t i = 0; i < index->subscripts.size(); ++i) {
    if (part->shape.empty() && !cell::is_library_array(part->type.name)) return std::nullopt;
    if (part->shape.empty()) {
      auto elements = elements_in(run_, part->type, session_.code().members_of(part->type), expression.span);
      part = PartType{std::move(elements.type), std::move(elements.shape)};
    }
    part->shape.erase(part->shape.begin());
  }
  return part;
}

StructMember Members::of(const Type& type, const cell::Member& member, cell::Span span) {
  if (type.lanes > 1) {
    if (const auto lane = lane_of(member.member, type.lanes))
      return {member.member, type_of(type.scalar), {}, static_cast<std::size_t>(*lane) * size_of(type.scalar)};
  }
  const auto members = session_.code().members_of(type);
  std::vector<std::string> names;
  for (int lane = 0; lane < type.lanes && type.lanes > 1; ++lane) names.emplace_back(lane_name(lane));
  for (const auto& one : members) {
    if (one.name == member.member) return one;
    names.push_back(one.name);
  }
  auto failure =
      error(ErrorKind::name, fmt::format("{} has no member {}", type.name, member.member), member_span(member, span));
  if (const auto* definition = class_definition(session_, type);
      definition != nullptr && declares_static(definition->text, member.member))
    failure.advice = fmt::format("{0} has one {1} for all its objects: {0}::{1}.", type.name, member.member);
  else if (const auto near = nearest(member.member, names); !near.empty())
    failure.advice = fmt::format("Did you mean {}?", near);
  else if (!names.empty())
    failure.advice = fmt::format("Its members are {}.", fmt::join(names, ", "));
  else
    failure.advice = "Statements know the members of structs that a cell defines and of CUDA's vectors.";
  throw failure;
}

std::vector<StructMember> Members::all(const Type& type, std::size_t names, cell::Span span) {
  std::vector<StructMember> members;
  for (int lane = 0; lane < type.lanes && type.lanes > 1; ++lane)
    members.push_back({std::string(lane_name(lane)), type_of(type.scalar), {}, lane * size_of(type.scalar)});
  if (members.empty()) members = session_.code().members_of(type);
  if (members.empty())
    throw error(ErrorKind::type, fmt::format("the members of {} are not known", type.name), span)
        .advise("Statements know the members of structs that a cell defines and of CUDA's vectors.");
  if (cell::is_library_array(type.name)) {
    const auto array = members.front();
    members.assign(array.shape.front(), {"", array.type, {}, array.offset});
    for (std::size_t i = 0; i < members.size(); ++i) members[i].offset += i * array.type.size;
  }
  if (members.size() != names) throw language::wrong_number_of_parts(frame_.text, span, members.size(), names);
  return members;
}

std::vector<Value> Members::parts(const Value& value, std::size_t names, cell::Span span) {
  std::vector<Value> list;
  if (const auto* pair = std::get_if<Container>(&value)) {
    for (const auto& one : frame_.containers.parts(*pair, names, span))
      list.push_back(frame_.containers.value_of(*one, span));
    return list;
  }
  if (const auto* object = std::get_if<Object>(&value)) {
    if (auto elements = frame_.library_values.parts(*object)) {
      if (elements->size() != names) throw language::wrong_number_of_parts(frame_.text, span, elements->size(), names);
      return std::move(*elements);
    }
    for (const auto& member : all(object->type, names, span)) {
      const auto bytes = std::span(object->bytes).subspan(member.offset);
      if (member.type.name.ends_with('*'))
        if (auto pointer = frame_.addresses.in_memory(member.type, bytes); pointer && member.shape.empty()) {
          list.push_back(std::move(*pointer));
          continue;
        }
      if (member.shape.empty()) {
        list.push_back(frame_.targets.load(member.type, bytes));
        continue;
      }
      auto array = frame_.arrays.temporary(member.type, member.shape);
      session_.submission().write(array.address, bytes.first(array.bytes));
      list.push_back(std::move(array));
    }
    return list;
  }
  const auto* pointer = std::get_if<Pointer>(&value);
  if (pointer == nullptr)
    throw error(
        ErrorKind::type,
        fmt::format("{} is {}, which has no parts", snippet(run_.source, span), language::describe(form_of(value))),
        span);
  for (auto& part : parts_of_place(*pointer, names, span))
    list.push_back(part.shape.empty() ? frame_.places.element(part) : Value(std::move(part)));
  return list;
}

std::vector<Pointer> Members::parts_of_place(const Pointer& place, std::size_t names, cell::Span span) {
  std::vector<Pointer> list;
  const auto add = [&](std::uint64_t offset, const Type& type, std::vector<std::uint64_t> shape) {
    auto& part = list.emplace_back(place);
    part.address += offset;
    part.bytes -= std::min(part.bytes, offset);
    part.type = type;
    part.shape = std::move(shape);
    part.whole = part.is_address = false;
  };
  if (place.shape.empty()) {
    for (auto& member : all(place.type, names, span)) add(member.offset, member.type, std::move(member.shape));
    return list;
  }
  if (!is_contiguous(place) || place.is_address)
    throw error(ErrorKind::type, fmt::format("the number of parts of {} is not known", snippet(run_.source, span)),
                span)
        .advise("Give the elements names one by one.");
  if (place.shape.front() != names)
    throw language::wrong_number_of_parts(frame_.text, span, place.shape.front(), names);
  const std::vector<std::uint64_t> row(place.shape.begin() + 1, place.shape.end());
  std::uint64_t step = place.type.size;
  for (const auto extent : row) step *= extent;
  for (std::uint64_t i = 0; i < place.shape.front(); ++i) add(i * step, place.type, row);
  return list;
}

// The elements of a std::array, which is a struct around them.
HostPart Members::elements_of(const HostPart& part, const cell::Index& index, cell::Span span) {
  if (!cell::is_library_array(part.type.name)) throw language::no_more_dimensions(frame_.text, index.base->span, span);
  auto elements = elements_in(run_, part.type, session_.code().members_of(part.type), span);
  return {std::move(elements.type), std::move(elements.shape), part.bytes.subspan(elements.offset)};
}

HostPart Members::host_part(Object& object, const cell::Expression& expression) {
  if (const auto* member = std::get_if<cell::Member>(&expression.node)) {
    auto base = host_part(object, *member->base);
    if (!base.shape.empty()) throw language::members_of_array(frame_.text, *member, base.type);
    if (member->arrow)
      throw error(ErrorKind::type, fmt::format("{} is not a pointer", snippet(run_.source, member->base->span)),
                  expression.span)
          .advise("Write a dot before a member of a struct.");
    auto found = of(base.type, *member, expression.span);
    return {std::move(found.type), std::move(found.shape), base.bytes.subspan(found.offset)};
  }
  const auto* index = std::get_if<cell::Index>(&expression.node);
  if (index == nullptr) return {object.type, {}, object.bytes};
  auto part = host_part(object, *index->base);
  for (const auto& subscript : index->subscripts) {
    if (subscript.slice)
      throw error(ErrorKind::unsupported, "the host cannot slice a member of a struct", subscript.span)
          .advise("Name one element.");
    if (part.shape.empty()) part = elements_of(part, *index, subscript.span);
    const auto at = number(*subscript.start, "a subscript");
    if (!at.type().is_integer()) throw language::subscript_not_integer(frame_.text, at.type(), subscript.span);
    if (at.is_negative() || at.as_unsigned() >= part.shape.front())
      throw language::out_of_bounds(frame_.text, at, snippet(run_.source, index->base->span), part.shape.front(),
                                    subscript.span);
    part.shape.erase(part.shape.begin());
    std::size_t step = part.type.size;
    for (const auto extent : part.shape) step *= extent;
    part.bytes = part.bytes.subspan(at.as_unsigned() * step);
  }
  return part;
}

std::optional<Value> Members::host_value(const cell::Expression& expression) {
  auto* variable = host_struct(expression);
  if (variable == nullptr) return std::nullopt;
  const auto part = host_part(std::get<Object>(variable->value), expression);
  if (part.shape.empty()) return frame_.targets.load(Target(part));
  if (part.shape.size() == 1 && part.type.name == "char") {  // char name[64];
    const std::string_view characters(reinterpret_cast<const char*>(part.bytes.data()), part.shape.front());
    return std::string(characters.substr(0, characters.find('\0')));
  }
  throw error(ErrorKind::type,
              fmt::format("{} is an array inside a struct on the host", snippet(run_.source, expression.span)),
              expression.span)
      .advise("Name one of its elements.");
}

bool Members::is_array_value(const cell::Expression& expression) {
  if (const auto* name = std::get_if<cell::Name>(&expression.node)) {
    if (session_.names().find(name->text) == nullptr && session_.arrays().find(name->text) == nullptr &&
        !session_.variables().find(name->text))
      return false;
  } else if (std::holds_alternative<cell::Member>(expression.node)) {
    return !std::get<cell::Member>(expression.node).arrow && is_array(evaluate(expression));
  }
  return is_array(evaluate(expression));
}

// s.values, s.nnz: of a sparse matrix, which has no other members.
std::optional<Value> Members::of_sparse(const cell::Member& member, cell::Span span) {
  const auto* name = std::get_if<cell::Name>(&member.base->node);
  const auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
  if (member.arrow || (name != nullptr && (variable == nullptr || !std::holds_alternative<Sparse>(variable->value))))
    return std::nullopt;
  if (name == nullptr) {
    const auto known = run_.forms.find(member.base.get());
    if (known == run_.forms.end() || known->second.kind != language::Form::Kind::sparse) return std::nullopt;
  }
  const auto value = evaluate(*member.base);
  const auto* matrix = sparse_in(value);
  if (matrix == nullptr) return std::nullopt;
  const auto which = language::sparse_member(member);
  if (!which) throw language::unknown_sparse_member(frame_.text, member, span);
  switch (*which) {
    case SparseMember::values: return matrix->values;
    case SparseMember::columns: return matrix->columns;
    case SparseMember::rows: return matrix->rows;
    case SparseMember::nnz: return language::ScalarValue::of(matrix->stored());
    case SparseMember::shape: return extents_as_array({matrix->m, matrix->n});
    case SparseMember::transposed: break;
  }
  const auto turned = cell::try_parse_expression("transpose(s)");
  const FunctionCall call{*language::find_function("transpose"), std::get<cell::Call>(turned->node), span};
  Composition composition(frame_, call);
  return sparse_value(transposed(composition, *matrix));
}

std::optional<Value> Members::attribute(const cell::Member& member) {
  const auto which = language::array_member(member);
  if (!which || !is_array_value(*member.base)) return std::nullopt;
  const auto value = evaluate(*member.base);
  const auto node = frame_.array_expressions.node_of(value, *member.base);
  switch (*which) {
    case ArrayMember::shape: return extents_as_array(node->shape);
    case ArrayMember::size: return language::ScalarValue::of(count_of(node->shape));
    case ArrayMember::ndim: return language::ScalarValue::of(static_cast<std::uint64_t>(node->shape.size()));
    case ArrayMember::transposed: break;
  }
  auto view = node->kind == ArrayNode::Kind::array ? node->array : frame_.arrays.evaluate(node);
  std::vector<std::size_t> order(view.shape.size());
  for (std::size_t d = 0; d < order.size(); ++d) order[d] = order.size() - 1 - d;
  return permuted(view, order);
}

Pointer Members::extents_as_array(const Shape& extents) {
  auto shape = frame_.arrays.temporary(type_of(Scalar::uint64), {extents.size()});
  session_.submission().write(shape.address, std::as_bytes(std::span(extents)));
  return shape;
}

std::optional<Shape> Members::shape_of(const cell::Expression& expression) {
  const auto* member = std::get_if<cell::Member>(&expression.node);
  if (member == nullptr || language::array_member(*member) != ArrayMember::shape || !is_array_value(*member->base))
    return std::nullopt;
  return frame_.array_expressions.node_of(evaluate(*member->base), *member->base)->shape;
}

Pointer Members::place(const cell::Member& member, cell::Span span) {
  if (auto value = of_sparse(member, span))
    if (auto* array = std::get_if<Pointer>(&*value)) return std::move(*array);
  if (auto value = attribute(member))
    if (auto* array = std::get_if<Pointer>(&*value)) return std::move(*array);
  auto base = member.arrow && frame_.addresses.is_moved_array(*member.base) ? frame_.addresses.of(*member.base)
                                                                            : frame_.places.of(*member.base);
  if (member.arrow) base = frame_.addresses.followed(std::move(base), member.base->span);
  if (member.arrow) base.shape.clear();
  if (!base.shape.empty()) throw language::members_of_array(frame_.text, member, base.type);
  auto found = of(base.type, member, span);
  base.address += found.offset;
  base.bytes -= std::min<std::uint64_t>(base.bytes, found.offset);
  base.type = std::move(found.type);
  base.shape = std::move(found.shape);
  base.whole = false;
  return base;
}

Value Members::value(const cell::Member& member, const cell::Expression& expression) {
  if (auto value = host_value(expression)) return std::move(*value);
  if (auto value = of_sparse(member, expression.span)) return std::move(*value);
  if (auto value = attribute(member)) return std::move(*value);
  const auto* name = std::get_if<cell::Name>(&cell::root_of(expression).node);
  auto* held = name == nullptr ? nullptr : session_.names().find(name->text);
  auto* object_of = held == nullptr ? nullptr : std::get_if<Object>(&held->value);
  if (member.arrow || (name != nullptr && (frame_.lookup.is_on_device(name->text) ||
                                           (object_of != nullptr && leaves(*object_of, expression))))) {
    auto found = place(member, expression.span);
    return found.shape.empty() ? frame_.places.element(found) : Value(std::move(found));
  }
  auto value = evaluate(*member.base);
  if (const auto* dim = std::get_if<device::Dim3>(&value))
    return language::ScalarValue::of(*dim_part(const_cast<device::Dim3&>(*dim), member, expression.span));
  if (auto* object = std::get_if<Object>(&value)) {
    const auto found = of(object->type, member, expression.span);
    if (found.shape.empty()) return frame_.targets.load(found.type, std::span(object->bytes).subspan(found.offset));
  }
  throw error(ErrorKind::type, fmt::format("{} has no members", snippet(run_.source, member.base->span)),
              expression.span);
}

std::uint32_t* Members::dim_part(device::Dim3& dim, const cell::Member& member, cell::Span span) {
  if (member.member == "x") return &dim.x;
  if (member.member == "y") return &dim.y;
  if (member.member == "z") return &dim.z;
  throw language::unknown_dim3_member(frame_.text, member, span);
}

}  // namespace xcuda::interpreter
