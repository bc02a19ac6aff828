// Random numbers, output, strings and exit() of the C library.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <utility>

#include "interpreter/host/c_random.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/host/runtime_calls.hpp"
#include "interpreter/host_calls.hpp"
#include "interpreter/statements.hpp"

namespace xcuda::interpreter {

Value RuntimeCalls::random(const Arguments&, cell::Span) { return language::ScalarValue::of(c_random().next()); }

Value RuntimeCalls::seed(const Arguments& given, cell::Span) {
  c_random().seed(static_cast<std::uint32_t>(number(*given[0], "the seed").as_unsigned()));
  return Nothing{};
}

Value RuntimeCalls::leave(const Arguments& given, cell::Span span) {
  const auto status = number(*given[0], "the status");
  if (status.truth()) throw error(ErrorKind::assertion, fmt::format("exit({})", status.text()), span);
  frame_.statements.end();
  return Nothing{};
}

Value RuntimeCalls::print_to(std::string_view name, const Arguments& given, cell::Span span) {
  frame_.host_calls.print(stream_of(*given[0]), std::span(given).subspan(1), span, name);
  return Nothing{};
}

OutputStream RuntimeCalls::stream_of(const cell::Expression& file) {
  return number(file, "the file").as_unsigned() == 2 ? OutputStream::err : OutputStream::out;
}

std::string RuntimeCalls::text(const cell::Expression& expression) {
  auto text = frame_.texts.of(evaluate(expression));
  if (!text)
    throw error(ErrorKind::type, fmt::format("{} is not a string", snippet(run_.source, expression.span)),
                expression.span);
  return std::move(*text);
}

Value RuntimeCalls::print_line(const Arguments& given, cell::Span) {
  run_.sink.stream(OutputStream::out, text(*given[0]) + "\n");
  return Nothing{};
}

Value RuntimeCalls::print_text(const Arguments& given, cell::Span) {
  run_.sink.stream(stream_of(*given[1]), text(*given[0]));
  return language::ScalarValue::of(1);
}

Value RuntimeCalls::print_character(const Arguments& given) {
  const auto character = static_cast<unsigned char>(number(*given[0], "a character").as_unsigned());
  const auto which = given.size() > 1 ? stream_of(*given[1]) : OutputStream::out;
  run_.sink.stream(which, std::string(1, static_cast<char>(character)));
  return language::ScalarValue::of(static_cast<int>(character));
}

Value RuntimeCalls::character(std::string_view name, const cell::Expression& given) {
  static constexpr std::pair<std::string_view, int (*)(int)> kFunctions[] = {
      {"isalnum", std::isalnum}, {"isalpha", std::isalpha}, {"isblank", std::isblank}, {"iscntrl", std::iscntrl},
      {"isdigit", std::isdigit}, {"isgraph", std::isgraph}, {"islower", std::islower}, {"isprint", std::isprint},
      {"ispunct", std::ispunct}, {"isspace", std::isspace}, {"isupper", std::isupper}, {"isxdigit", std::isxdigit},
      {"tolower", std::tolower}, {"toupper", std::toupper}};
  const auto* found =
      std::find_if(std::begin(kFunctions), std::end(kFunctions), [&](const auto& one) { return one.first == name; });
  const auto value = number(given, "a character").as_signed();
  const bool letter = name.starts_with("to");
  if (value < 0 || value > 255) return language::ScalarValue::of(letter ? static_cast<int>(value) : 0);
  const int result = found->second(static_cast<int>(value));
  return language::ScalarValue::of(letter ? result : static_cast<int>(result != 0));
}

// The number of characters that there are, also of those that do not fit.
Value RuntimeCalls::format_text(std::string_view name, const Arguments& given, cell::Span span) {
  const bool limited = name == "snprintf";
  auto text = frame_.host_calls.formatted(std::span(given).subspan(limited ? 2 : 1), span, name);
  const auto count = language::ScalarValue::of(static_cast<int>(text.size()));
  if (limited) {
    const auto most = size(*given[1], "the number of bytes");
    if (most == 0) return count;
    text.resize(std::min<std::size_t>(text.size(), most - 1));
  }
  const auto to = side(*given[0]);
  const Side from = text + std::string(1, '\0');
  require(to, text.size() + 1, *given[0]);
  transfer(to, from, text.size() + 1, span);
  return count;
}

Value RuntimeCalls::copy_text(std::string_view name, const Arguments& given, cell::Span span) {
  auto text = this->text(*given[1]);
  if (name == "strcat") text.insert(0, this->text(*given[0]));
  text.resize(name == "strncpy" ? size(*given[2], "the number of bytes") : text.size() + 1);
  const auto to = side(*given[0]);
  const auto bytes = text.size();
  require(to, bytes, *given[0]);
  transfer(to, Side(std::move(text)), bytes, span);
  return Nothing{};
}

}  // namespace xcuda::interpreter
