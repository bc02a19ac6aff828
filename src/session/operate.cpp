// Operators, assignments, casts and members of statements' expressions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "session/convert.hpp"
#include "session/executor.hpp"
#include "session/initial.hpp"

namespace xcuda::session {
Value Executor::binary(const cell::Binary& binary, cell::Span span) {
  if (binary.op == "," ) {
    evaluate(*binary.left);
    return evaluate(*binary.right);
  }
  const auto left = evaluate(*binary.left);
  if (binary.op == "&&" || binary.op == "||") {
    if (!is_array(left)) {
      const bool truth = number(left, binary.left->span, "the operand of " + binary.op).truth();
      if (truth == (binary.op == "||")) return cell::Value::of(truth);
    }
    const auto right = evaluate(*binary.right);
    if (is_array(left) || is_array(right)) return combine(ArrayNode::Kind::binary, binary.op, {node_of(left, *binary.left), node_of(right, *binary.right)}, span);
    return cell::Value::of(number(right, binary.right->span, "the operand of " + binary.op).truth());
  }
  const auto right = evaluate(*binary.right);
  if (is_array(left) || is_array(right)) return combine(ArrayNode::Kind::binary, binary.op, {node_of(left, *binary.left), node_of(right, *binary.right)}, span);
  return cell::binary(binary.op, number(left, binary.left->span, "the left operand"), number(right, binary.right->span, "the right operand"), where(span));
}

Variable& Executor::variable(const cell::Expression& target) {
  const auto* name = std::get_if<cell::Name>(&target.node);
  auto* found = name == nullptr ? nullptr : session_.names().find(name->text);
  if (found == nullptr) {
    if (name != nullptr && session_.host_constant(*this, name->text)) throw error(ErrorKind::type, fmt::format("{} is a constant of device code", name->text), target.span);
    if (name != nullptr) throw unknown_name(name->text, target.span);
    throw error(ErrorKind::type, fmt::format("{} cannot be assigned to", snippet(run_.source, target.span)), target.span);
  }
  if (found->read_only) throw error(ErrorKind::type, fmt::format("{} is const", name->text), target.span);
  return *found;
}

Value Executor::step(const cell::Unary& unary, cell::Span span) {
  const bool after = unary.op.starts_with("post");
  const std::string op = unary.op.ends_with("++") ? "+" : "-";
  const auto one = cell::Value::of(1);
  if (std::holds_alternative<cell::Index>(unary.operand->node)) {
    const auto pointer = evaluate_place(*unary.operand);
    const auto before = number(element(pointer), span, "the element");
    const auto result = cell::convert(cell::binary(op, before, one, where(span)), before.type());
    store_element(pointer, result, span);
    return after ? before : result;
  }
  auto& target = variable(*unary.operand);
  const auto before = number(target.value, unary.operand->span, "the operand of " + op + op);
  const auto result = cell::convert(cell::binary(op, before, one, where(span)), before.type());
  target.value = result;
  return after ? before : result;
}

void Executor::store_element(const Pointer& pointer, const cell::Value& value, cell::Span span) {
  if (pointer.read_only && !pointer.variable) throw error(ErrorKind::type, fmt::format("{} is const", pointer.owner), span);
  std::vector<std::byte> bytes(pointer.type.size);
  store_checked(run_, value, pointer.type, span, bytes);
  session_.write(pointer.address, bytes);
  if (pointer.variable) session_.variables().wrote(pointer.owner);
}

Value Executor::assign(const cell::Assignment& assignment, cell::Span span) {
  const auto op = assignment.op.substr(0, assignment.op.size() - 1);  // "+=" -> "+"
  if (const auto* name = std::get_if<cell::Name>(&assignment.target->node); name != nullptr && session_.names().find(name->text) == nullptr &&
                                                                           (session_.arrays().find(name->text) != nullptr || session_.variables().find(name->text)))
    return assign_array(assignment, *name, span);
  if (std::holds_alternative<cell::Index>(assignment.target->node) || std::holds_alternative<cell::Unary>(assignment.target->node)) {
    const auto pointer = evaluate_place(*assignment.target);
    if (!pointer.shape.empty()) return store_array(pointer, assignment, span), Nothing{};
    if (op.empty() && (pointer.type.scalar == Scalar::none || pointer.type.lanes > 1 || pointer.type.scalar >= Scalar::complex64)) {
      std::vector<std::byte> bytes(pointer.type.size);
      InitialReader(*this, session_, run_).element(*assignment.value, pointer.type, bytes);
      session_.write(pointer.address, bytes);
      return Object{pointer.type, std::move(bytes)};
    }
    auto value = number(*assignment.value, "the value");
    if (!op.empty()) value = cell::binary(op, number(element(pointer), span, "the element"), value, where(span));
    store_element(pointer, value, span);
    return value;
  }
  if (const auto* member = std::get_if<cell::Member>(&assignment.target->node)) return assign_member(assignment, *member, span);
  auto& target = variable(*assignment.target);
  const auto value = evaluate(*assignment.value);
  const auto* current = std::get_if<cell::Value>(&target.value);
  if (current == nullptr) {
    if (!op.empty() || target.value.index() != value.index()) throw error(ErrorKind::type, fmt::format("{} is no value for {}", snippet(run_.source, assignment.value->span), snippet(run_.source, assignment.target->span)), span);
    target.value = value;
    return value;
  }
  auto result = number(value, assignment.value->span, "the value");
  if (!op.empty()) result = cell::binary(op, *current, result, where(span));
  result = cell::convert(result, current->type());
  target.value = result;
  return result;
}

// Of a whole array or a module variable, by name.
Value Executor::assign_array(const cell::Assignment& assignment, const cell::Name& name, cell::Span span) {
  const auto value = this->name(name, assignment.target->span);
  const auto target = std::get<Pointer>(value);
  if (target.variable && assignment.op == "=" && (target.shape.empty() || std::holds_alternative<cell::List>(assignment.value->node))) {
    std::vector<std::byte> bytes(target.bytes);
    InitialReader reader(*this, session_, run_);
    if (target.shape.empty()) reader.element(*assignment.value, target.type, bytes);
    else reader.contents(*assignment.value, target.type, target.shape, bytes);
    session_.write(target.address, bytes);
    session_.variables().wrote(target.owner);
    return Nothing{};
  }
  if (target.shape.empty()) {
    const auto op = assignment.op.substr(0, assignment.op.size() - 1);
    const auto before = number(element(target), assignment.target->span, "the variable");
    const auto result = cell::binary(op, before, number(*assignment.value, "the value"), where(span));
    store_element(target, cell::convert(result, before.type()), span);
    return result;
  }
  store_array(target, assignment, span);
  return Nothing{};
}

Value Executor::assign_member(const cell::Assignment& assignment, const cell::Member& member, cell::Span span) {
  auto& target = variable(*member.base);
  auto* dim = std::get_if<device::Dim3>(&target.value);
  const auto op = assignment.op.substr(0, assignment.op.size() - 1);
  auto value = number(*assignment.value, "the value");
  if (!op.empty()) value = cell::binary(op, number(this->member(member, span), span, "the member"), value, where(span));
  if (dim != nullptr) {
    auto& part = member.member == "x" ? dim->x : member.member == "y" ? dim->y : dim->z;
    if (member.member != "x" && member.member != "y" && member.member != "z") throw error(ErrorKind::name, fmt::format("a dim3 has no member {}", member.member), span);
    part = static_cast<std::uint32_t>(value.as_unsigned());
    return value;
  }
  auto* object = std::get_if<Object>(&target.value);
  if (object == nullptr) throw error(ErrorKind::type, fmt::format("{} has no members", snippet(run_.source, member.base->span)), span);
  const auto field = field_of(object->type, member, span);
  store_checked(run_, value, field.type, span, std::span(object->bytes).subspan(field.offset, field.type.size));
  return value;
}

display::RecordField Executor::field_of(const Type& type, const cell::Member& member, cell::Span span) {
  if (type.lanes > 1) {
    static constexpr std::string_view kLanes = "xyzw";
    const auto lane = member.member.size() == 1 ? kLanes.find(member.member[0]) : std::string_view::npos;
    if (lane < static_cast<std::size_t>(type.lanes)) return {member.member, type_of(type.scalar), lane * size_of(type.scalar), 1};
  }
  const auto fields = session_.fields_of(type);
  for (const auto& field : fields)
    if (field.name == member.member && field.count == 1) return field;
  throw error(ErrorKind::name, fmt::format("{} has no member {}{}", type.name, member.member, fields.empty() ? " that the host knows" : ""), span);
}

Value Executor::member(const cell::Member& member, cell::Span span) {
  const auto value = evaluate(*member.base);
  if (const auto* dim = std::get_if<device::Dim3>(&value)) {
    if (member.member == "x") return cell::Value::of(dim->x);
    if (member.member == "y") return cell::Value::of(dim->y);
    if (member.member == "z") return cell::Value::of(dim->z);
    throw error(ErrorKind::name, fmt::format("a dim3 has no member {}", member.member), span);
  }
  const auto* object = std::get_if<Object>(&value);
  if (object == nullptr) throw error(ErrorKind::type, fmt::format("{} has no members", snippet(run_.source, member.base->span)), span);
  const auto field = field_of(object->type, member, span);
  return cell::Value::load(field.type, std::span(object->bytes).subspan(field.offset, field.type.size));
}

Value Executor::cast(const cell::Cast& cast, cell::Span span) {
  auto spelling = cast.type;
  if (!spelling.empty() && spelling.back() == '*') {  // (float*)x: the same bytes seen as another type
    spelling.pop_back();
    bool is_const = false;
    for (const std::string_view word : {"const ", " const"})
      if (const auto at = spelling.find(word); at != std::string::npos) { spelling.erase(at, word.size()); is_const = true; }
    while (!spelling.empty() && spelling.back() == ' ') spelling.pop_back();
    const auto value = evaluate(*cast.operand);
    if (std::holds_alternative<NullPointer>(value)) return value;
    const auto* pointer = std::get_if<Pointer>(&value);
    if (pointer == nullptr) throw error(ErrorKind::type, fmt::format("{} is no array", snippet(run_.source, cast.operand->span)), span);
    auto result = *pointer;
    result.type = spelling == "void" ? Type{"unsigned char", 1, 1, Scalar::uint8} : session_.find_type(run_, spelling, span);
    result.shape = {result.bytes / std::max<std::size_t>(result.type.size, 1)};
    result.whole = false;
    result.read_only = pointer->read_only || is_const;
    if (result.address % result.type.alignment != 0)
      throw error(ErrorKind::value, fmt::format("{} is not aligned for {}: it needs multiples of {} bytes", snippet(run_.source, cast.operand->span), spelling, result.type.alignment), span);
    return result;
  }
  if (spelling == "dim3") {
    device::Dim3 dim;
    std::uint32_t* parts[] = {&dim.x, &dim.y, &dim.z};
    const auto* list = std::get_if<cell::List>(&cast.operand->node);
    if (list == nullptr) return dimensions(*cast.operand, "a dim3");
    if (list->elements.size() > 3) throw error(ErrorKind::value, "a dim3 has three extents at most", span);
    for (std::size_t i = 0; i < list->elements.size(); ++i) *parts[i] = extent32(*list->elements[i], "a dim3");
    return dim;
  }
  const auto type = session_.find_type(run_, spelling, span);
  if (!std::holds_alternative<cell::List>(cast.operand->node)) {
    const auto value = evaluate(*cast.operand);
    if (is_array(value)) return combine(ArrayNode::Kind::cast, type.name, {node_of(value, *cast.operand)}, span);
    if (type.lanes == 1 && type.scalar != Scalar::none && type.scalar < Scalar::complex64) return cell::convert(number(value, cast.operand->span, "the operand of a cast"), type);
  }
  if (type.scalar == Scalar::none || type.lanes > 1 || type.scalar >= Scalar::complex64) {
    Object object{type, std::vector<std::byte>(type.size)};
    InitialReader(*this, session_, run_).element(*cast.operand, type, object.bytes);
    return object;
  }
  const cell::Expression* operand = cast.operand.get();
  if (const auto* list = std::get_if<cell::List>(&operand->node)) {
    if (list->elements.empty()) return cell::convert(cell::Value::of(0), type);
    operand = list->elements.front().get();
  }
  return cell::convert(number(*operand, "the operand of a cast"), type);
}

}  // namespace xcuda::session
