// What statements read and write besides whole names: members of structs, on the host and on the device, and elements.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "cell/expression_root.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/executor.hpp"
#include "language/answers.hpp"

namespace xcuda::interpreter {
namespace {

bool is_scalar_number(const Type& type) { return cell::kind_of(type).has_value(); }

// Where the member's name stands in an expression that ends with it.
cell::Span member_span(const cell::Member& member, cell::Span whole) {
  return {whole.end - static_cast<std::uint32_t>(member.member.size()), whole.end};
}

}  // namespace

// The struct of the host that a.b[1].c begins with; null when it begins with something else.
Variable* Executor::host_struct(const cell::Expression& expression) {
  const auto* name = std::get_if<cell::Name>(&cell::root_of(expression).node);
  auto* found = name == nullptr ? nullptr : session_.names().find(name->text);
  return found != nullptr && std::holds_alternative<Object>(found->value) ? found : nullptr;
}

Session::StructMember Executor::member_of(const Type& type, const cell::Member& member, cell::Span span) {
  if (type.lanes > 1) {
    static constexpr std::string_view kLanes = "xyzw";
    const auto lane = member.member.size() == 1 ? kLanes.find(member.member[0]) : std::string_view::npos;
    if (lane < static_cast<std::size_t>(type.lanes))
      return {member.member, type_of(type.scalar), {}, lane * size_of(type.scalar)};
  }
  const auto members = session_.members_of(run_, type);
  std::vector<std::string> names;
  for (const auto& one : members) {
    if (one.name == member.member) return one;
    names.push_back(one.name);
  }
  auto failure =
      error(ErrorKind::name, fmt::format("{} has no member {}", type.name, member.member), member_span(member, span));
  if (const auto near = nearest(member.member, names); !near.empty())
    failure.advice = fmt::format("Did you mean {}?", near);
  else if (!names.empty())
    failure.advice = fmt::format("Its members are {}.", fmt::join(names, ", "));
  else
    failure.advice = "Only a struct that a cell defines, and CUDA's vectors, have members that statements see.";
  throw failure;
}

Executor::HostPart Executor::host_part(Object& object, const cell::Expression& expression) {
  if (const auto* member = std::get_if<cell::Member>(&expression.node)) {
    auto base = host_part(object, *member->base);
    if (!base.shape.empty())
      throw error(
          ErrorKind::type,
          fmt::format("{} is an array; one of its elements has members", snippet(run_.source, member->base->span)),
          member->base->span);
    if (member->arrow)
      throw error(ErrorKind::type, fmt::format("{} is no pointer", snippet(run_.source, member->base->span)),
                  expression.span)
          .advise("A member of a struct is written with a dot.");
    auto found = member_of(base.type, *member, expression.span);
    return {std::move(found.type), std::move(found.shape), base.bytes.subspan(found.offset)};
  }
  const auto* index = std::get_if<cell::Index>(&expression.node);
  if (index == nullptr) return {object.type, {}, object.bytes};
  auto part = host_part(object, *index->base);
  for (const auto& subscript : index->subscripts) {
    if (subscript.slice)
      throw error(ErrorKind::unsupported, "a slice of a member that the host holds", subscript.span)
          .advise("Name one element.");
    if (part.shape.empty())
      throw error(ErrorKind::type,
                  fmt::format("{} has no more dimensions to subscript", snippet(run_.source, index->base->span)),
                  subscript.span);
    const auto at = number(*subscript.start, "a subscript");
    if (!at.type().is_integer() || at.is_negative() || at.as_unsigned() >= part.shape.front())
      throw error(ErrorKind::value,
                  fmt::format("index {} is out of bounds: {} has {} elements there", at.text(),
                              snippet(run_.source, index->base->span), part.shape.front()),
                  subscript.span);
    part.shape.erase(part.shape.begin());
    std::size_t step = part.type.size;
    for (const auto extent : part.shape) step *= extent;
    part.bytes = part.bytes.subspan(at.as_unsigned() * step);
  }
  return part;
}

Value Executor::load(const Type& type, std::span<const std::byte> bytes) const {
  if (is_scalar_number(type)) return cell::Value::load(type, bytes);
  return Object{type, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(type.size)}};
}

std::string Executor::advice_on_member(const cell::Member& member) const {
  const auto x = snippet(run_.source, member.base->span);
  auto known = language::familiar_member(member.member, x);
  return known.empty() ? fmt::format("{}[i].{} is a member of one.", x, member.member) : known;
}

// A member of what lies on the device: p[3].x, and p->x of the first element.
Pointer Executor::member_place(const cell::Member& member, cell::Span span) {
  auto base = evaluate_place(*member.base);
  if (member.arrow) base.shape.clear();
  if (!base.shape.empty())
    throw error(ErrorKind::type,
                fmt::format("{} is an array; one of its elements has members", snippet(run_.source, member.base->span)),
                member.base->span)
        .advise(advice_on_member(member));
  auto found = member_of(base.type, member, span);
  base.address += found.offset;
  base.bytes -= std::min<std::uint64_t>(base.bytes, found.offset);
  base.type = std::move(found.type);
  base.shape = std::move(found.shape);
  base.whole = false;
  return base;
}

Value Executor::member(const cell::Member& member, const cell::Expression& expression) {
  if (auto* variable = host_struct(expression)) {
    const auto part = host_part(std::get<Object>(variable->value), expression);
    if (part.shape.empty()) return load(part.type, part.bytes);
    throw error(ErrorKind::type,
                fmt::format("{} is an array inside of a struct of the host", snippet(run_.source, expression.span)),
                expression.span)
        .advise("Name one of its elements.");
  }
  const auto* name = std::get_if<cell::Name>(&cell::root_of(expression).node);
  const bool on_device = name != nullptr && session_.names().find(name->text) == nullptr &&
                         (session_.arrays().find(name->text) != nullptr || session_.variables().find(name->text));
  if (on_device) {
    auto place = member_place(member, expression.span);
    return place.shape.empty() ? element(place) : Value(std::move(place));
  }
  auto value = evaluate(*member.base);
  if (const auto* dim = std::get_if<device::Dim3>(&value))
    return cell::Value::of(*dim_part(const_cast<device::Dim3&>(*dim), member, expression.span));
  if (auto* object = std::get_if<Object>(&value)) {
    const auto found = member_of(object->type, member, expression.span);
    if (found.shape.empty()) return load(found.type, std::span(object->bytes).subspan(found.offset));
  }
  throw error(ErrorKind::type, fmt::format("{} has no members", snippet(run_.source, member.base->span)),
              expression.span);
}

std::uint32_t* Executor::dim_part(device::Dim3& dim, const cell::Member& member, cell::Span span) {
  if (member.member == "x") return &dim.x;
  if (member.member == "y") return &dim.y;
  if (member.member == "z") return &dim.z;
  throw error(ErrorKind::name, fmt::format("a dim3 has no member {}", member.member), member_span(member, span))
      .advise("Its members are x, y and z.");
}

// --- Writing
// ----------------------------------------------------------------------------------------------------------

Executor::Target Executor::target(const cell::Expression& expression) {
  if (const auto* member = std::get_if<cell::Member>(&expression.node)) {
    const auto* name = std::get_if<cell::Name>(&member->base->node);
    auto* found = name == nullptr ? nullptr : session_.names().find(name->text);
    if (found != nullptr)
      if (auto* dim = std::get_if<device::Dim3>(&found->value)) {
        variable(*member->base);  // that may be written
        return dim_part(*dim, *member, expression.span);
      }
  }
  const bool part =
      std::holds_alternative<cell::Member>(expression.node) || std::holds_alternative<cell::Index>(expression.node);
  if (auto* held = part ? host_struct(expression) : nullptr) {
    variable(cell::root_of(expression));
    auto found = host_part(std::get<Object>(held->value), expression);
    if (!found.shape.empty())
      throw error(ErrorKind::unsupported,
                  fmt::format("{} is an array inside of a struct of the host", snippet(run_.source, expression.span)),
                  expression.span)
          .advise("Assign to its elements.");
    return found;
  }
  const auto* unary = std::get_if<cell::Unary>(&expression.node);
  if (part || (unary != nullptr && unary->op == "*")) return evaluate_place(expression);
  if (const auto* name = std::get_if<cell::Name>(&expression.node);
      name != nullptr && session_.names().find(name->text) == nullptr) {
    auto value = this->name(*name, expression.span);
    if (auto* pointer = std::get_if<Pointer>(&value)) return std::move(*pointer);
  }
  return &variable(expression);
}

Value Executor::load(const Target& target) {
  if (auto* const* variable = std::get_if<Variable*>(&target)) return (*variable)->value;
  if (auto* const* part = std::get_if<std::uint32_t*>(&target)) return cell::Value::of(**part);
  if (const auto* part = std::get_if<HostPart>(&target)) return load(part->type, part->bytes);
  return element(std::get<Pointer>(target));
}

// The bytes of a value as this type; numbers are converted by C++'s rules.
std::vector<std::byte> Executor::bytes_of(const Value& value, const Type& type, cell::Span span) {
  std::vector<std::byte> bytes(type.size);
  if (const auto* number = std::get_if<cell::Value>(&value); number != nullptr && type.scalar != Scalar::none) {
    if (type.lanes > 1)
      frame_.elements.store(*number, type, span, bytes);
    else
      cell::convert(*number, type).store(bytes);
    return bytes;
  }
  if (const auto* object = std::get_if<Object>(&value); object != nullptr && object->type == type) return object->bytes;
  if (type.name.ends_with('*')) return address_of(value, type, span);
  throw error(ErrorKind::type, fmt::format("{} is no value for {}", snippet(run_.source, span), type.name), span);
}

// An array as a pointer in memory: float* of an array of float, void* of any.
std::vector<std::byte> Executor::address_of(const Value& value, const Type& type, cell::Span span) {
  std::vector<std::byte> bytes(sizeof(device::Address));
  if (std::holds_alternative<NullPointer>(value)) return bytes;
  const auto* pointer = std::get_if<Pointer>(&value);
  if (pointer == nullptr)
    throw error(ErrorKind::type,
                fmt::format("{} is no pointer, and {} is expected", snippet(run_.source, span), type.name), span)
        .advise("An array is one, and &x[i]; nullptr is none.");
  std::string pointee(trim(std::string_view(type.name).substr(0, type.name.size() - 1)));
  const bool to_const = pointee.starts_with("const ") || pointee.ends_with(" const");
  if (pointee.starts_with("const ")) pointee.erase(0, 6);
  if (pointee.ends_with(" const")) pointee.resize(pointee.size() - 6);
  const auto wanted = xcuda::find_type(pointee).value_or(Type{pointee});
  const auto& given = pointer->type;
  const bool same = wanted.scalar != Scalar::none && given.scalar != Scalar::none
                        ? wanted.scalar == given.scalar && wanted.lanes == given.lanes
                        : wanted.name == given.name;
  if (!same && pointee != "void" && xcuda::find_type(pointee))
    throw error(ErrorKind::type,
                fmt::format("{} points to {}, and {} is expected", snippet(run_.source, span), given.name, type.name),
                span)
        .advise(fmt::format("Cast it if its bytes are meant: ({}){}.", type.name, snippet(run_.source, span)));
  if (pointer->read_only && !to_const)
    throw error(ErrorKind::type,
                fmt::format("{} is const, and {} may write to it", snippet(run_.source, span), type.name), span);
  std::memcpy(bytes.data(), &pointer->address, sizeof pointer->address);
  return bytes;
}

Value Executor::store(const Target& target, const Value& value, cell::Span span) {
  if (auto* const* variable = std::get_if<Variable*>(&target)) {
    auto& held = (*variable)->value;
    const auto* number = std::get_if<cell::Value>(&value);
    if (const auto* current = std::get_if<cell::Value>(&held); current != nullptr && number != nullptr)
      return held = cell::convert(*number, current->type());
    const auto *before = std::get_if<Object>(&held), *after = std::get_if<Object>(&value);
    if (held.index() != value.index() || (before != nullptr && before->type != after->type))
      throw error(ErrorKind::type, fmt::format("{} is no value for it", snippet(run_.source, span)), span);
    return held = value;
  }
  if (auto* const* part = std::get_if<std::uint32_t*>(&target)) {
    const auto converted = cell::convert(number(value, span, "the value"), cell::Kind::uint32);
    **part = static_cast<std::uint32_t>(converted.as_unsigned());
    return converted;
  }
  if (const auto* part = std::get_if<HostPart>(&target)) {
    const auto bytes = bytes_of(value, part->type, span);
    std::memcpy(part->bytes.data(), bytes.data(), bytes.size());
    return load(part->type, part->bytes);
  }
  const auto& pointer = std::get<Pointer>(target);
  if (pointer.read_only && !pointer.variable)
    throw error(ErrorKind::type, fmt::format("{} is const", pointer.owner), span);
  const auto bytes = bytes_of(value, pointer.type, span);
  write_element(pointer, bytes);
  return load(pointer.type, bytes);
}

void Executor::write_element(const Pointer& pointer, std::span<const std::byte> bytes) {
  session_.write(pointer.address, bytes);
  if (pointer.variable) session_.variables().wrote(pointer.owner);
}

// The type of what a target holds, for a list in braces.
Type Executor::type_of_target(const Target& target) const {
  if (const auto* part = std::get_if<HostPart>(&target)) return part->type;
  if (const auto* pointer = std::get_if<Pointer>(&target)) return pointer->type;
  if (auto* const* variable = std::get_if<Variable*>(&target)) {
    if (const auto* object = std::get_if<Object>(&(*variable)->value)) return object->type;
    if (const auto* number = std::get_if<cell::Value>(&(*variable)->value)) return number->type();
  }
  return cell::type_of(cell::Kind::uint32);
}

}  // namespace xcuda::interpreter
