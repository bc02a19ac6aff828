#include "interpreter/scalar_program.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace xcuda::interpreter {
std::optional<ScalarProgram> ScalarProgram::make(const cell::Expression& expression, NameTable& names,
                                                 const Constant& constant) {
  ScalarProgram program;
  if (!program.add(expression, names, constant) || program.deepest_ > std::tuple_size_v<Stack> ||
      program.slots_.empty())
    return std::nullopt;
  return program;
}

void ScalarProgram::push(Step step) {
  switch (step.code) {
    case Code::literal:
    case Code::load:
    case Code::step_before:
    case Code::step_after: deepest_ = std::max(deepest_, ++depth_); break;
    case Code::binary:
    case Code::drop:
    case Code::skip_if_false:
    case Code::skip_if_true: --depth_; break;
    case Code::call:
      depth_ = depth_ - step.count + 1;
      deepest_ = std::max(deepest_, depth_);
      break;
    default: break;
  }
  steps_.push_back(step);
}

// The slot of a name that is a scalar variable when the program is made.
std::optional<std::uint8_t> ScalarProgram::slot(const cell::Expression& expression, NameTable& names) {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  if (name == nullptr) return std::nullopt;
  const auto* variable = names.find(name->text);
  const auto* value = variable == nullptr ? nullptr : std::get_if<language::ScalarValue>(&variable->value);
  if (value == nullptr || language::is_complex(value->kind())) return std::nullopt;
  const auto symbol = names.symbol(name->text);
  const auto known = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& one) { return one.symbol == symbol; });
  if (known != slots_.end()) return static_cast<std::uint8_t>(known - slots_.begin());
  if (slots_.size() == kSlots) return std::nullopt;
  slots_.push_back({symbol, false});
  return static_cast<std::uint8_t>(slots_.size() - 1);
}

bool ScalarProgram::add(const cell::Expression& expression, NameTable& names, const Constant& constant) {
  const auto literal = [&](const language::ScalarValue& value) {
    push({.code = Code::literal, .value = value});
    return true;
  };
  const auto& node = expression.node;
  if (const auto* one = std::get_if<cell::IntegerLiteral>(&node)) return literal(language::ScalarValue::literal(*one));
  if (const auto* one = std::get_if<cell::FloatingLiteral>(&node)) return literal(language::ScalarValue::literal(*one));
  if (const auto* one = std::get_if<cell::BoolLiteral>(&node)) return literal(language::ScalarValue::literal(*one));
  if (const auto* one = std::get_if<cell::CharLiteral>(&node)) return literal(language::ScalarValue::literal(*one));
  if (const auto* name = std::get_if<cell::Name>(&node)) {
    if (const auto place = slot(expression, names)) return push({.code = Code::load, .slot = *place}), true;
    if (names.find(name->text) != nullptr) return false;
    const auto value = constant(name->text);
    return value && literal(*value);
  }
  if (const auto* unary = std::get_if<cell::Unary>(&node)) {
    if (unary->op == cell::UnaryOperator::address || unary->op == cell::UnaryOperator::pointee) return false;
    if (cell::is_step(unary->op)) {
      const auto place = slot(*unary->operand, names);
      if (!place) return false;
      slots_[*place].written = true;
      const auto code = cell::is_after(unary->op) ? Code::step_before : Code::step_after;
      push({.code = code, .slot = *place, .binary = cell::operator_of_step(unary->op), .span = expression.span});
      return true;
    }
    if (!add(*unary->operand, names, constant)) return false;
    push({.code = Code::unary, .unary = unary->op, .span = expression.span});
    return true;
  }
  if (const auto* binary = std::get_if<cell::Binary>(&node)) {
    if (cell::is_logical(binary->op)) return add_logical(*binary, names, constant);
    if (!add(*binary->left, names, constant)) return false;
    if (binary->op == cell::BinaryOperator::comma) push({.code = Code::drop});
    if (!add(*binary->right, names, constant)) return false;
    if (binary->op != cell::BinaryOperator::comma)
      push({.code = Code::binary, .binary = binary->op, .span = expression.span});
    return true;
  }
  if (const auto* assignment = std::get_if<cell::Assignment>(&node))
    return add_assignment(*assignment, expression.span, names, constant);
  if (const auto* call = std::get_if<cell::Call>(&node)) return add_call(*call, expression.span, names, constant);
  if (const auto* cast = std::get_if<cell::Cast>(&node)) {
    if (cast->style == cell::Cast::Style::braces) return false;  // which do not narrow
    const auto type = find_type(cast->type);
    const auto kind = type ? language::kind_of(*type) : std::nullopt;
    if (!kind || !add(*cast->operand, names, constant)) return false;
    push({.code = Code::convert, .kind = *kind});
    return true;
  }
  return false;
}

bool ScalarProgram::add_assignment(const cell::Assignment& node, cell::Span span, NameTable& names,
                                   const Constant& constant) {
  const auto place = slot(*node.target, names);
  if (!place || !add(*node.value, names, constant)) return false;
  slots_[*place].written = true;
  push({.code = node.op ? Code::update : Code::assign,
        .slot = *place,
        .binary = node.op.value_or(cell::BinaryOperator{}),
        .span = span});
  return true;
}

bool ScalarProgram::add_logical(const cell::Binary& node, NameTable& names, const Constant& constant) {
  if (!add(*node.left, names, constant)) return false;
  push({.code = Code::truth});
  const auto jump = steps_.size();
  push({.code = node.op == cell::BinaryOperator::logical_and ? Code::skip_if_false : Code::skip_if_true});
  if (!add(*node.right, names, constant)) return false;
  push({.code = Code::truth});
  steps_[jump].count = static_cast<std::uint16_t>(steps_.size() - jump - 1);
  return true;
}

bool ScalarProgram::add_call(const cell::Call& node, cell::Span span, NameTable& names, const Constant& constant) {
  const auto* name = std::get_if<cell::Name>(&node.callee->node);
  const auto function = name == nullptr ? std::nullopt : language::find_function(name->text);
  if (!function || function->row->numbers == nullptr || language::takes_whole_arrays(*function->row, node.arguments))
    return false;
  for (const auto& argument : node.arguments)
    if (!argument.name.empty() || !add(*argument.value, names, constant)) return false;
  push({.code = Code::call,
        .count = static_cast<std::uint16_t>(node.arguments.size()),
        .span = span,
        .function = *function});
  return true;
}

std::optional<language::ScalarValue> ScalarProgram::run(const NameTable& names, const cell::Source& source,
                                                        Stack& stack) const {
  std::array<language::ScalarValue*, kSlots> slots;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    auto* variable = names.bound(slots_[i].symbol);
    if (variable == nullptr || (slots_[i].written && variable->read_only)) return std::nullopt;
    slots[i] = std::get_if<language::ScalarValue>(&variable->value);
    if (slots[i] == nullptr || language::is_complex(slots[i]->kind())) return std::nullopt;
  }
  std::size_t size = 0;
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    const auto& step = steps_[at];
    switch (step.code) {
      case Code::literal: stack[size++] = step.value; break;
      case Code::load: stack[size++] = *slots[step.slot]; break;
      case Code::unary: stack[size - 1] = language::unary(step.unary, stack[size - 1], {source, step.span}); break;
      case Code::binary:
        --size;
        stack[size - 1] = language::binary(step.binary, stack[size - 1], stack[size], {source, step.span});
        break;
      case Code::call:
        size -= step.count;
        stack[size] =
            language::call_numbers(step.function, std::span(stack).subspan(size, step.count), {source, step.span});
        ++size;
        break;
      case Code::convert: stack[size - 1] = language::convert(stack[size - 1], step.kind); break;
      case Code::assign:
      case Code::update: {
        auto& target = *slots[step.slot];
        auto& value = stack[size - 1];
        if (step.code == Code::update) value = language::binary(step.binary, target, value, {source, step.span});
        target = value = language::convert(value, target.kind());
        break;
      }
      case Code::step_before:
      case Code::step_after: {
        auto& target = *slots[step.slot];
        const auto before = target;
        if (before.kind() == language::Kind::boolean)
          throw Error(ErrorKind::type, "++ and -- are not defined for bool").at(source.place(step.span));
        target = language::convert(
            language::binary(step.binary, before, language::ScalarValue::of(1), {source, step.span}), before.kind());
        stack[size++] = step.code == Code::step_before ? before : target;
        break;
      }
      case Code::drop: --size; break;
      case Code::truth: stack[size - 1] = language::ScalarValue::of(stack[size - 1].truth()); break;
      case Code::skip_if_false:
      case Code::skip_if_true:
        if (stack[size - 1].truth() == (step.code == Code::skip_if_true))
          at += step.count;
        else
          --size;
        break;
    }
  }
  return stack[0];
}

}  // namespace xcuda::interpreter
