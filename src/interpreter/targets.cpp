#include "interpreter/targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "cell/expression_root.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/launches/closures.hpp"
#include "interpreter/launches/streams.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/members.hpp"
#include "interpreter/places.hpp"
#include "interpreter/scalars.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/subscripts.hpp"
#include "language/complaints.hpp"
#include "language/handles.hpp"
#include "session/host_functions.hpp"

namespace xcuda::interpreter {
namespace {

bool is_address(const Variable* variable) {
  const auto* pointer = variable == nullptr ? nullptr : std::get_if<Pointer>(&variable->value);
  return pointer != nullptr && pointer->is_address;
}

// "char" of "const char*" and "char const*"
std::string_view pointee_of(const Type& type) {
  auto name = trim(std::string_view(type.name).substr(0, type.name.find('*')));
  if (name.starts_with("const ")) name.remove_prefix(6);
  if (name.ends_with(" const")) name.remove_suffix(6);
  return trim(name);
}

// What a dim3 of a struct is made of: another one, or a number, which is its x.
std::optional<device::Dim3> dimensions_in(const Value& value) {
  if (const auto* extents = std::get_if<device::Dim3>(&value)) return *extents;
  const auto* number = std::get_if<language::ScalarValue>(&value);
  if (number == nullptr || !number->is_integer()) return std::nullopt;
  return device::Dim3{static_cast<std::uint32_t>(number->as_unsigned()), 1, 1};
}

bool is_scalar_number(const Type& type) { return language::kind_of(type).has_value(); }

}  // namespace

Value Targets::load(const Type& type, std::span<const std::byte> bytes) const {
  if (is_scalar_number(type)) return language::ScalarValue::load(type, bytes);
  if (is_function_pointer(type.name)) {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data(), sizeof number);
    return Function{session_.code().functions().function_at(number)};
  }
  return Object{type, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(type.size)}};
}

// Whether a name, or a reference that a call gives, leads to the memory; all other memory without a name is a copy.
bool Targets::is_of_pointer(const Pointer& view, const cell::Expression& expression) {
  const auto& innermost = cell::root_of(expression);
  if (std::holds_alternative<cell::Call>(innermost.node)) return frame_.references.have_referred(innermost);
  const auto* root = std::get_if<cell::Name>(&innermost.node);
  const auto* variable = root == nullptr ? nullptr : session_.names().find(root->text);
  const auto* held = variable == nullptr ? nullptr : std::get_if<Pointer>(&variable->value);
  return held != nullptr && held->memory == view.memory;
}

Target Targets::of(const cell::Expression& expression) {
  if (const auto* either = std::get_if<cell::Ternary>(&expression.node))
    return of(frame_.scalars.truth(evaluate(*either->condition), either->condition->span) ? *either->yes : *either->no);
  if (const auto character = frame_.texts.place(expression))
    return HostPart{language::type_of(language::Kind::char8), {}, *character};
  if (frame_.references.may_refer(expression)) {
    auto referred = frame_.references.of(expression);
    if (referred.place) return std::move(*referred.place);
    throw language::cannot_be_assigned(frame_.text, expression.span);
  }
  if (const auto* member = std::get_if<cell::Member>(&expression.node)) {
    const auto* name = std::get_if<cell::Name>(&member->base->node);
    auto* found = name == nullptr ? nullptr : session_.names().find(name->text);
    if (found != nullptr)
      if (auto* dim = std::get_if<device::Dim3>(&found->value)) {
        frame_.lookup.variable(*member->base);  // that may be written
        return frame_.members.dim_part(*dim, *member, expression.span);
      }
  }
  const bool part =
      std::holds_alternative<cell::Member>(expression.node) || std::holds_alternative<cell::Index>(expression.node);
  if (auto* held = part ? frame_.members.host_struct(expression) : nullptr) {
    frame_.lookup.variable(cell::root_of(expression));
    auto found = frame_.members.host_part(std::get<Object>(held->value), expression);
    if (!found.shape.empty())
      throw error(ErrorKind::unsupported,
                  fmt::format("{} is an array inside a struct on the host", snippet(run_.source, expression.span)),
                  expression.span)
          .advise("Assign to its elements.");
    return found;
  }
  if (const auto* index = std::get_if<cell::Index>(&expression.node)) {
    auto selection = frame_.subscripts.of(*index);
    if (selection.view.memory != nullptr && !is_of_pointer(selection.view, expression))
      throw error(ErrorKind::type,
                  fmt::format("{} is a copy: what is assigned to a part of it is lost",
                              snippet(run_.source, index->base->span)),
                  expression.span)
          .advise("Put all subscripts into one pair of brackets, or give the copy a name: auto part = ...;");
    if (selection.is_view()) return std::move(selection.view);
    return selection;
  }
  const auto* unary = std::get_if<cell::Unary>(&expression.node);
  if (unary != nullptr && unary->op == cell::UnaryOperator::pointee)
    if (const auto* named = frame_.addresses.pointee(*unary->operand)) return of(*named);
  if (part || (unary != nullptr && unary->op == cell::UnaryOperator::pointee)) return frame_.places.of(expression);
  if (const auto* name = std::get_if<cell::Name>(&expression.node);
      name != nullptr && frame_.lookup.is_on_device(name->text) && !is_address(session_.names().find(name->text))) {
    auto value = frame_.lookup.value(*name, expression.span);
    if (auto* pointer = std::get_if<Pointer>(&value)) return std::move(*pointer);
  }
  return &frame_.lookup.variable(expression);
}

Value Targets::load(const Target& target) {
  if (auto* const* variable = std::get_if<Variable*>(&target)) return (*variable)->value;
  if (auto* const* part = std::get_if<std::uint32_t*>(&target)) return language::ScalarValue::of(**part);
  if (const auto* part = std::get_if<HostPart>(&target)) {
    if (part->type.name.ends_with('*'))
      if (auto held = frame_.addresses.in_memory(part->type, part->bytes)) return std::move(*held);
    return load(part->type, part->bytes);
  }
  return frame_.places.element(std::get<Pointer>(target));
}

// The bytes of a value as this type; numbers are converted by C++'s rules.
std::vector<std::byte> Targets::bytes_of(const Value& value, const Type& type, cell::Span span) {
  if (const auto* pair = std::get_if<Container>(&value))
    if (auto object = frame_.containers.object_of(*pair, type, span)) return std::get<Object>(std::move(*object)).bytes;
  std::vector<std::byte> bytes(type.size);
  if (const auto extents = dimensions_in(value); extents && type.name == "dim3") {
    const std::uint32_t three[] = {extents->x, extents->y, extents->z};
    std::memcpy(bytes.data(), three, std::min(bytes.size(), sizeof three));
    return bytes;
  }
  if (const auto* number = std::get_if<language::ScalarValue>(&value);
      number != nullptr && type.scalar != Scalar::none) {
    if (type.lanes > 1)
      frame_.elements.store(*number, type, span, bytes);
    else
      language::convert(*number, type).store(bytes);
    return bytes;
  }
  if (const auto* object = std::get_if<Object>(&value); object != nullptr && object->type == type) return object->bytes;
  if (is_function_pointer(type.name)) return number_of_function(value, span);
  if (std::holds_alternative<Function>(value) && pointee_of(type) == "void") return number_of_function(value, span);
  if (type.name.ends_with('*')) return address_of(value, type, span);
  throw error(ErrorKind::type, fmt::format("cannot convert {} to {}", snippet(run_.source, span), type.name), span);
}

std::vector<std::byte> Targets::number_of_function(const Value& value, cell::Span span) {
  const auto made = frame_.closures.as_function(value);
  const auto* function = made ? &*made : std::get_if<Function>(&value);
  if (function == nullptr && is_closure(value))
    throw error(
        ErrorKind::unsupported,
        fmt::format("{} captures variables, so an array or a struct cannot hold it", snippet(run_.source, span)), span)
        .advise(
            "Capture nothing, [](float x) { return 2 * x; }, or keep it under a name: auto f = [&](float x) { ... };");
  const auto* zero = std::get_if<language::ScalarValue>(&value);
  const bool null =
      std::holds_alternative<NullPointer>(value) || (zero != nullptr && zero->is_integer() && !zero->truth());
  if (function == nullptr && !null)
    throw error(ErrorKind::type,
                fmt::format("expected a pointer to a function, but {} is {}", snippet(run_.source, span),
                            language::describe(form_of(value))),
                span)
        .advise("Give the name of a function or a kernel that a cell defines.");
  const auto number = session_.code().functions().number_of(function == nullptr ? std::string() : function->name);
  std::vector<std::byte> bytes(sizeof number);
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

std::vector<std::byte> Targets::address_of(const Value& value, const Type& type, cell::Span span) {
  std::vector<std::byte> bytes(sizeof(device::Address));
  if (type.name == language::kHeldStream || type.name == language::kHeldEvent) {
    const auto number = frame_.streams.number_of(value, type, span);
    std::memcpy(bytes.data(), &number, sizeof number);
    return bytes;
  }
  if (std::holds_alternative<NullPointer>(value)) return bytes;
  const auto* pointer = std::get_if<Pointer>(&value);
  std::optional<Pointer> text;  // const char* names[] = {"a", "b"};
  if (const auto* characters = std::get_if<std::string>(&value); characters != nullptr && pointee_of(type) == "char")
    pointer = &text.emplace(frame_.texts.in_memory(*characters, span));
  if (pointer == nullptr)
    throw error(ErrorKind::type, fmt::format("expected {1}, got {0}", snippet(run_.source, span), type.name), span)
        .advise("Pass an array, &x[i] or nullptr.");
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
                fmt::format("expected {2}, but {0} points to {1}", snippet(run_.source, span), given.name, type.name),
                span)
        .advise(fmt::format("If you mean its bytes, cast it: ({}){}.", type.name, snippet(run_.source, span)));
  if (pointer->read_only && !to_const)
    throw error(ErrorKind::type,
                fmt::format("{} is const, but {} may write to it", snippet(run_.source, span), type.name), span);
  std::memcpy(bytes.data(), &pointer->address, sizeof pointer->address);
  return bytes;
}

Value Targets::store(const Target& target, const Value& value, cell::Span span) {
  if (auto* const* variable = std::get_if<Variable*>(&target)) {
    auto& held = (*variable)->value;
    const auto* number = std::get_if<language::ScalarValue>(&value);
    if (const auto* current = std::get_if<language::ScalarValue>(&held); current != nullptr && number != nullptr)
      return held = language::convert(*number, current->type());
    const auto *before = std::get_if<Object>(&held), *after = std::get_if<Object>(&value);
    if (is_address(*variable)) throw language::wrong_type(frame_.text, span);
    if (std::holds_alternative<Function>(held) && std::holds_alternative<NullPointer>(value)) return held = Function{};
    const auto callable = [](const Value& one) { return std::holds_alternative<Function>(one) || is_closure(one); };
    if ((*variable)->written == kCallable && callable(value)) return held = value;
    if (held.index() != value.index() || (before != nullptr && before->type != after->type))
      throw language::wrong_type(frame_.text, span);
    return held = value;
  }
  if (auto* const* part = std::get_if<std::uint32_t*>(&target)) {
    const auto converted = language::convert(number(value, span, "the value"), language::Kind::uint32);
    **part = static_cast<std::uint32_t>(converted.as_unsigned());
    return converted;
  }
  if (const auto* part = std::get_if<HostPart>(&target)) {
    const auto bytes = bytes_of(value, part->type, span);
    std::memcpy(part->bytes.data(), bytes.data(), bytes.size());
    return load(part->type, part->bytes);
  }
  const auto& pointer = std::get<Pointer>(target);
  if (pointer.read_only && !pointer.variable) throw language::is_constant(frame_.text, pointer.owner, span);
  const auto bytes = bytes_of(value, pointer.type, span);
  write_element(pointer, bytes);
  return load(pointer.type, bytes);
}

void Targets::write_element(const Pointer& pointer, std::span<const std::byte> bytes) {
  session_.submission().write(pointer.address, bytes);
}

Type Targets::type_of(const Target& target) const {
  if (const auto* part = std::get_if<HostPart>(&target)) return part->type;
  if (const auto* pointer = std::get_if<Pointer>(&target)) return pointer->type;
  if (auto* const* variable = std::get_if<Variable*>(&target)) {
    if (const auto* object = std::get_if<Object>(&(*variable)->value)) return object->type;
    if (const auto* number = std::get_if<language::ScalarValue>(&(*variable)->value)) return number->type();
  }
  return language::type_of(language::Kind::uint32);
}

}  // namespace xcuda::interpreter
