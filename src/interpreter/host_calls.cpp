#include "interpreter/host_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "interpreter/format_printf.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/members.hpp"
#include "interpreter/native/native_code.hpp"
#include "interpreter/records/exceptions.hpp"
#include "interpreter/targets.hpp"
#include "language/complaints.hpp"
#include "language/functions.hpp"

namespace xcuda::interpreter {

language::ScalarValue HostCalls::print(const cell::Call& call, cell::Span span) {
  return print(OutputStream::out, pointers_to(call.arguments), span, std::get<cell::Name>(call.callee->node).text);
}

language::ScalarValue HostCalls::print(OutputStream which, std::span<const cell::Expression* const> given,
                                       cell::Span span, std::string_view function) {
  const auto text = formatted(given, span, function);
  frame_.native_code.print(which, text);
  return language::ScalarValue::of(static_cast<int>(text.size()));
}

std::string HostCalls::formatted(std::span<const cell::Expression* const> given, cell::Span span,
                                 std::string_view function) {
  const auto format = given.empty() ? std::nullopt : frame_.texts.of(evaluate(*given[0]));
  if (!format) throw error(ErrorKind::type, fmt::format("{} expects a format string", function), span);
  std::vector<PrintArgument> arguments;
  for (std::size_t i = 1; i < given.size(); ++i) {
    const auto& expression = *given[i];
    if (auto characters = text_in_struct(expression)) {
      arguments.push_back({std::move(*characters), expression.span});
      continue;
    }
    const auto value = frame_.addresses.given(expression);
    if (const auto* text = std::get_if<std::string>(&value))
      arguments.push_back({*text, expression.span});
    else if (auto characters = frame_.texts.of(value))
      arguments.push_back({std::move(*characters), expression.span});
    else if (std::holds_alternative<Pointer>(value) || std::holds_alternative<NullPointer>(value)) {
      // %p takes an array; everything else wants a number
      const auto* pointer = std::get_if<Pointer>(&value);
      auto& argument = arguments.emplace_back();
      argument.value = pointer == nullptr ? device::Address{0} : pointer->address;
      argument.span = expression.span;
    } else
      arguments.push_back({number(value, expression.span, "an argument of printf"), expression.span});
  }
  return format_printf(run_.source, *format, given[0]->span, arguments, function);
}

// The text of a member char name[n] of a struct that the host holds, up to its first 0.
std::optional<std::string> HostCalls::text_in_struct(const cell::Expression& expression) {
  if (!std::holds_alternative<cell::Member>(expression.node)) return std::nullopt;
  auto* held = frame_.members.host_struct(expression);
  if (held == nullptr) return std::nullopt;
  const auto part = frame_.members.host_part(std::get<Object>(held->value), expression);
  if (part.shape.size() != 1 || part.type.name != "char") return std::nullopt;
  const std::string_view text(reinterpret_cast<const char*>(part.bytes.data()), part.shape.front());
  return std::string(text.substr(0, text.find('\0')));
}

void HostCalls::exchange(const cell::Call& call, cell::Span span) {
  if (call.arguments.size() != 2) throw language::swap_takes_names(frame_.text, span);
  const auto* a = std::get_if<cell::Name>(&call.arguments[0].value->node);
  const auto* b = std::get_if<cell::Name>(&call.arguments[1].value->node);
  if (a == nullptr || b == nullptr) return exchange_places(*call.arguments[0].value, *call.arguments[1].value, span);
  auto* first = session_.arrays().find(a->text);
  auto* second = session_.arrays().find(b->text);
  const bool hidden = session_.names().find(a->text) != nullptr || session_.names().find(b->text) != nullptr;
  if (first != nullptr && second != nullptr && !hidden) {
    const bool vectors = first->growth && second->growth;
    if (first->type != second->type || (first->shape != second->shape && !vectors))
      throw error(ErrorKind::type,
                  fmt::format("{} and {} differ: {}, {}", a->text, b->text, declaration_text(*first),
                              declaration_text(*second)),
                  span);
    if (first->read_only || second->read_only)
      throw language::is_constant(frame_.text, first->read_only ? a->text : b->text, span);
    if (first != second) session_.arrays().exchange(a->text, b->text);
    return;
  }
  auto& left = frame_.lookup.variable(*call.arguments[0].value);
  auto& right = frame_.lookup.variable(*call.arguments[1].value);
  const auto leads_to_element = [](const Variable& one) {
    const auto* pointer = std::get_if<Pointer>(&one.value);
    return pointer != nullptr && pointer->shape.empty() && !pointer->is_address;
  };
  if (leads_to_element(left) || leads_to_element(right))
    return exchange_places(*call.arguments[0].value, *call.arguments[1].value, span);
  const auto* x = std::get_if<language::ScalarValue>(&left.value);
  const auto* y = std::get_if<language::ScalarValue>(&right.value);
  if (left.value.index() != right.value.index() || (x != nullptr && x->type() != y->type()))
    throw error(ErrorKind::type, fmt::format("{} and {} are of different types", a->text, b->text), span);
  std::swap(left.value, right.value);
}

// x[i] and x[j], p.x and y.
void HostCalls::exchange_places(const cell::Expression& a, const cell::Expression& b, cell::Span span) {
  const auto left = frame_.targets.of(a), right = frame_.targets.of(b);
  for (const auto* side : {&left, &right}) {
    const auto* pointer = std::get_if<Pointer>(side);
    if (std::holds_alternative<Selection>(*side) || (pointer != nullptr && !pointer->shape.empty()))
      throw language::swap_takes_names(frame_.text, span);
  }
  if (frame_.targets.type_of(left) != frame_.targets.type_of(right))
    throw error(
        ErrorKind::type,
        fmt::format("{} and {} are of different types", snippet(run_.source, a.span), snippet(run_.source, b.span)),
        span);
  const auto before = frame_.targets.load(left);
  frame_.targets.store(left, frame_.targets.load(right), b.span);
  frame_.targets.store(right, before, a.span);
}

// What std::stoi and its kin throw for a text that begins with no number, or with one that is too large.
void HostCalls::require_number(const std::string& text, const FunctionCall& of) {
  const auto name = of.row().name;
  char* end = nullptr;
  errno = 0;
  bool fits = true;
  if (name == "stoi") {
    const long value = std::strtol(text.c_str(), &end, 10);
    fits = value == static_cast<int>(value);
  } else if (name == "stof") {
    static_cast<void>(std::strtof(text.c_str(), &end));
  } else {
    static_cast<void>(std::strtod(text.c_str(), &end));
  }
  fits = fits && errno != ERANGE;
  const bool number = end != text.c_str();
  if (number && fits) return;
  auto failure = error(ErrorKind::value,
                       number ? fmt::format("std::{}: \"{}\" is out of range", name, text)
                              : fmt::format("std::{}: \"{}\" does not begin with a number", name, text),
                       of.span);
  frame_.exceptions.raise(std::move(failure),
                          {number ? "std::out_of_range" : "std::invalid_argument", std::string(name)});
}

Value HostCalls::text(const FunctionCall& of) {
  const auto arguments = frame_.call_arguments.bound(of);
  const auto& argument = *arguments[0];
  const auto value = evaluate(argument);
  const auto text = frame_.texts.of(value);
  if (!text) {
    auto failure =
        error(ErrorKind::type,
              fmt::format("{} expects a string, but {} is not one", of.row().name, snippet(run_.source, argument.span)),
              argument.span);
    if (std::holds_alternative<NullPointer>(value))
      failure.advice = "The variable is not set. Give it a default: getenv(\"N\") ? atoi(getenv(\"N\")) : 1024.";
    throw failure;
  }
  if (of.row().name.starts_with("sto")) require_number(*text, of);
  if (of.row().operation == language::Operation::integer_of_text) {
    const bool with_base = arguments.size() > 2 && arguments[2] != nullptr;
    const auto base = with_base ? number(*arguments[2], "a base").as_signed() : 10;
    const long value = std::strtol(text->c_str(), nullptr, static_cast<int>(base));
    const bool narrow = of.row().name == "atoi" || of.row().name == "stoi";
    return narrow ? language::ScalarValue::of(static_cast<int>(value)) : language::ScalarValue::of(value);
  }
  if (of.row().operation == language::Operation::single_of_text)
    return language::ScalarValue::of(std::strtof(text->c_str(), nullptr));
  if (of.row().operation == language::Operation::real_of_text)
    return language::ScalarValue::of(std::atof(text->c_str()));
  if (arguments.size() > 2) {  // setenv(name, value, replace)
    const auto set = frame_.texts.of(evaluate(*arguments[1]));
    if (!set || text->empty() || text->find('=') != std::string::npos)
      throw error(ErrorKind::value, "setenv() expects a name without = and a string", of.span)
          .advise("setenv(\"NAME\", \"value\", 1);");
    return language::ScalarValue::of(
        setenv(text->c_str(), set->c_str(), number(*arguments[2], "the third argument").truth()));
  }
  const char* const found = std::getenv(text->c_str());
  if (found == nullptr) return NullPointer{};
  return std::string(found);
}

}  // namespace xcuda::interpreter
