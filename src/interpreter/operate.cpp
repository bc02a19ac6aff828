// Operators, assignments, casts and members of statements' expressions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "arrays/convert.hpp"
#include "interpreter/arguments.hpp"
#include "interpreter/constants.hpp"
#include "interpreter/dimensions.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/executor.hpp"

namespace xcuda::interpreter {
Value Executor::binary(const cell::Binary& binary, cell::Span span) {
  if (binary.op == ",") {
    evaluate(*binary.left);
    return evaluate(*binary.right);
  }
  const auto left = evaluate(*binary.left);
  if (binary.op == "&&" || binary.op == "||") {
    if (!has_device_operators(left)) {
      const bool truth = number(left, binary.left->span, "the operand of " + binary.op).truth();
      if (truth == (binary.op == "||")) return cell::Value::of(truth);
    }
    const auto right = evaluate(*binary.right);
    if (has_device_operators(left) || has_device_operators(right))
      return operate(ArrayNode::Kind::binary, binary.op, {{left, *binary.left}, {right, *binary.right}}, span);
    return cell::Value::of(number(right, binary.right->span, "the operand of " + binary.op).truth());
  }
  const auto right = evaluate(*binary.right);
  return computed(binary, left, right, span);
}

// Of an operator that evaluates both sides: numbers on the host, all else on the device.
Value Executor::computed(const cell::Binary& binary, const Value& left, const Value& right, cell::Span span) {
  if (has_device_operators(left) || has_device_operators(right))
    return operate(ArrayNode::Kind::binary, binary.op, {{left, *binary.left}, {right, *binary.right}}, span);
  const bool null = std::holds_alternative<NullPointer>(left) || std::holds_alternative<NullPointer>(right);
  const bool numbers = std::holds_alternative<cell::Value>(left) || std::holds_alternative<cell::Value>(right);
  if (null && !numbers && (binary.op == "==" || binary.op == "!="))  // getenv("N") == nullptr
    return cell::Value::of((left.index() == right.index()) == (binary.op == "=="));
  return cell::binary(binary.op, number(left, binary.left->span, "the left operand"),
                      number(right, binary.right->span, "the right operand"), where(span));
}

Variable& Executor::variable(const cell::Expression& target) {
  const auto* name = std::get_if<cell::Name>(&target.node);
  auto* found = name == nullptr ? nullptr : session_.names().find(name->text);
  if (found == nullptr) {
    if (name != nullptr && host_constant(session_, run_.sink, name->text))
      throw error(ErrorKind::type, fmt::format("{} is a constant of device code", name->text), target.span);
    if (name != nullptr) throw unknown_name(name->text, target.span);
    throw error(ErrorKind::type, fmt::format("{} cannot be assigned to", snippet(run_.source, target.span)),
                target.span);
  }
  if (found->read_only) throw error(ErrorKind::type, fmt::format("{} is const", name->text), target.span);
  return *found;
}

Value Executor::step(const cell::Unary& unary, cell::Span span) {
  const bool after = unary.op.starts_with("post");
  const std::string op = unary.op.ends_with("++") ? "+" : "-";
  const auto place = target(*unary.operand);
  if (const auto* pointer = std::get_if<Pointer>(&place); pointer != nullptr && !pointer->shape.empty())
    throw error(
        ErrorKind::type,
        fmt::format("{}{} is for numbers, and {} is an array", op, op, snippet(run_.source, unary.operand->span)), span)
        .advise(fmt::format("{} {}= 1;", snippet(run_.source, unary.operand->span), op));
  const auto before = number(load(place), unary.operand->span, "the operand of " + op + op);
  if (before.kind() == cell::Kind::boolean) throw error(ErrorKind::type, "++ and -- are not defined for bool", span);
  const auto result = store(place, cell::binary(op, before, cell::Value::of(1), where(span)), span);
  return after ? Value(before) : result;
}

Value Executor::assign(const cell::Assignment& assignment, cell::Span span) {
  const auto op = assignment.op.substr(0, assignment.op.size() - 1);  // "+=" -> "+"
  if (const auto* name = std::get_if<cell::Name>(&assignment.target->node);
      name != nullptr && session_.names().find(name->text) == nullptr &&
      (session_.arrays().find(name->text) != nullptr || session_.variables().find(name->text)))
    if (const auto whole = this->name(*name, assignment.target->span); !std::get<Pointer>(whole).shape.empty())
      return assign_array(assignment, *name, span);
  // As C++17 has it: the value first, then what it goes to.
  const bool list = std::holds_alternative<cell::List>(assignment.value->node);
  auto value = list ? Value(Nothing{}) : evaluate(*assignment.value);
  const auto place = target(*assignment.target);
  if (const auto* pointer = std::get_if<Pointer>(&place)) {
    if (!pointer->shape.empty()) {
      store_array(*pointer, assignment, list ? nullptr : &value, span);
      return Nothing{};
    }
  }
  if (list && op.empty()) {
    const auto type = type_of_target(place);
    std::vector<std::byte> bytes(type.size);
    frame_.elements.read(*assignment.value, type, bytes);
    value = load(type, bytes);
  }
  if (!op.empty()) {
    const auto before = load(place);
    if (has_device_operators(before) || has_device_operators(value))
      value = operate(ArrayNode::Kind::binary, op, {{before, *assignment.target}, {value, *assignment.value}}, span);
    else
      value = cell::binary(op, number(before, assignment.target->span, "the target"),
                           number(value, assignment.value->span, "the value"), where(span));
  }
  return store(place, value, assignment.value->span);
}

// Of a whole array or a module variable, by name.
Value Executor::assign_array(const cell::Assignment& assignment, const cell::Name& name, cell::Span span) {
  const auto target = std::get<Pointer>(this->name(name, assignment.target->span));
  if (target.variable && assignment.op == "=" && std::holds_alternative<cell::List>(assignment.value->node)) {
    std::vector<std::byte> bytes(target.bytes);
    frame_.elements.read_array(*assignment.value, target.type, target.shape, bytes);
    session_.write(target.address, bytes);
    session_.variables().wrote(target.owner);
    return Nothing{};
  }
  store_array(target, assignment, nullptr, span);
  return Nothing{};
}

Value Executor::cast(const cell::Cast& cast, cell::Span span) {
  auto spelling = cast.type;
  if (!spelling.empty() && spelling.back() == '*') {  // (float*)x: the same bytes seen as another type
    spelling.pop_back();
    bool is_const = false;
    for (const std::string_view word : {"const ", " const"})
      if (const auto at = spelling.find(word); at != std::string::npos) {
        spelling.erase(at, word.size());
        is_const = true;
      }
    while (!spelling.empty() && spelling.back() == ' ') spelling.pop_back();
    const auto value = evaluate(*cast.operand);
    if (std::holds_alternative<NullPointer>(value)) return value;
    const auto* pointer = std::get_if<Pointer>(&value);
    if (pointer == nullptr)
      throw error(ErrorKind::type, fmt::format("{} is no array", snippet(run_.source, cast.operand->span)), span);
    auto result = *pointer;
    result.type =
        spelling == "void" ? Type{"unsigned char", 1, 1, Scalar::uint8} : session_.find_type(run_, spelling, span);
    result.shape = {result.bytes / std::max<std::size_t>(result.type.size, 1)};
    result.whole = false;
    result.read_only = pointer->read_only || is_const;
    if (result.address % result.type.alignment != 0)
      throw error(ErrorKind::value,
                  fmt::format("{} is not aligned for {}: it needs multiples of {} bytes",
                              snippet(run_.source, cast.operand->span), spelling, result.type.alignment),
                  span);
    return result;
  }
  if (spelling == "dim3") {
    const auto* list = std::get_if<cell::List>(&cast.operand->node);
    if (list == nullptr) return frame_.dimensions.of(*cast.operand, "a dim3");
    if (list->elements.size() > 3) throw error(ErrorKind::value, "a dim3 has three extents at most", span);
    return frame_.dimensions.of(pointers_to(list->elements), "a dim3");
  }
  const auto type = session_.find_type(run_, spelling, span);
  if (!std::holds_alternative<cell::List>(cast.operand->node)) {
    const auto value = evaluate(*cast.operand);
    if (is_array(value)) return combine(ArrayNode::Kind::cast, type.name, {node_of(value, *cast.operand)}, span);
    if (type.lanes == 1 && type.scalar != Scalar::none)
      return cell::convert(number(value, cast.operand->span, "the operand of a cast"), type);
  }
  if (type.scalar == Scalar::none || type.lanes > 1 || type.scalar >= Scalar::complex64) {
    std::vector<std::byte> bytes(type.size);
    frame_.elements.read(*cast.operand, type, bytes);
    return load(type, bytes);
  }
  const cell::Expression* operand = cast.operand.get();
  const auto* list = std::get_if<cell::List>(&operand->node);
  if (list != nullptr) {
    if (list->elements.empty()) return cell::convert(cell::Value::of(0), type);
    if (list->elements.size() > 1)
      throw error(ErrorKind::type, fmt::format("{} is one number, got {}", spelling, list->elements.size()), span);
    operand = list->elements.front().get();
  }
  const auto value = number(*operand, "the operand of a cast");
  if (list != nullptr && !cell::converts_exactly(value, type))
    throw error(ErrorKind::value, fmt::format("{} does not fit {}: braces do not narrow", value.text(), spelling),
                operand->span)
        .advise(fmt::format("{}({}) converts it.", spelling, snippet(run_.source, operand->span)));
  return cell::convert(value, type);
}

}  // namespace xcuda::interpreter
