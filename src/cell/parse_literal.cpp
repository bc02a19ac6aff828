// Numbers, characters, strings, lists and lambdas.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "cell/make_expression.hpp"

namespace xcuda::cell {
namespace {

struct IntegerSuffix {
  bool is_unsigned = false;
  int longs = 0;
};
// "ld" of PRId64: what the macros of <cinttypes> put between two strings. Empty for other words.
std::string integer_format(std::string_view word) {
  static constexpr std::string_view kLengths[] = {"8:hh", "16:h", "32:", "64:l", "MAX:l", "PTR:l"};
  if (!word.starts_with("PRI") || word.size() < 5 || std::string_view("diouxX").find(word[3]) == word.npos) return {};
  auto width = word.substr(4);
  for (const std::string_view kind : {"LEAST", "FAST"})
    if (width.starts_with(kind)) width.remove_prefix(kind.size());
  for (const auto length : kLengths)
    if (const auto colon = length.find(':'); length.substr(0, colon) == width)
      return std::string(length.substr(colon + 1)) + word[3];
  return {};
}

std::optional<IntegerSuffix> integer_suffix(std::string_view suffix) {
  std::string lower(suffix);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (suffix.find("lL") != std::string_view::npos || suffix.find("Ll") != std::string_view::npos) return std::nullopt;
  if (lower.empty()) return IntegerSuffix{false, 0};
  if (lower == "u") return IntegerSuffix{true, 0};
  if (lower == "l" || lower == "z") return IntegerSuffix{false, 1};
  if (lower == "ul" || lower == "lu" || lower == "uz" || lower == "zu") return IntegerSuffix{true, 1};
  if (lower == "ll") return IntegerSuffix{false, 2};
  if (lower == "ull" || lower == "llu") return IntegerSuffix{true, 2};
  return std::nullopt;
}

// C++ [lex.icon]: the first type of the list that holds the value. Nothing when none does.
std::optional<IntegerLiteral> integer_literal(std::uint64_t value, IntegerSuffix suffix, int base) {
  const bool decimal = base == 10;
  const bool fits_long = value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (suffix.longs == 0) {
    if (!suffix.is_unsigned && value <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
      return IntegerLiteral{value, false, 0};
    if ((suffix.is_unsigned || !decimal) && value <= std::numeric_limits<std::uint32_t>::max())
      return IntegerLiteral{value, true, 0};
  }
  const std::uint8_t longs = suffix.longs == 2 ? 2 : 1;
  if (!suffix.is_unsigned && fits_long) return IntegerLiteral{value, false, longs};
  return suffix.is_unsigned || !decimal ? std::optional(IntegerLiteral{value, true, longs}) : std::nullopt;
}

}  // namespace

// 1500ms, 2s, 1.5h: what std::chrono_literals makes of them.
ExpressionPtr Parser::duration() {
  static constexpr struct {
    std::string_view suffix, unit, period;
  } kUnits[] = {{"ns", "nanoseconds", "std::nano"},   {"us", "microseconds", "std::micro"},
                {"ms", "milliseconds", "std::milli"}, {"min", "minutes", "std::ratio<60>"},
                {"h", "hours", "std::ratio<3600>"},   {"s", "seconds", "std::ratio<1>"}};
  const auto token = peek();
  if (token.text.starts_with("0x") || token.text.starts_with("0X")) return nullptr;
  for (const auto& unit : kUnits) {
    const auto digits = token.text.substr(0, token.text.size() - std::min(unit.suffix.size(), token.text.size()));
    if (!token.text.ends_with(unit.suffix) || digits.empty() || is_identifier_start(digits.back())) continue;
    Parser inner(digits, source_.name);
    auto number = inner.only_expression();
    if (inner.failed()) return nullptr;
    number->span = token.span;
    const bool whole = std::holds_alternative<IntegerLiteral>(number->node);
    next();
    std::vector<Argument> given(1);
    given.front().value = std::move(number);
    const auto type = whole ? fmt::format("std::chrono::{}", unit.unit)
                            : fmt::format("std::chrono::duration<double,{}>", unit.period);
    return make(token.span, Call{make(token.span, Name{type}), std::move(given)});
  }
  return nullptr;
}

ExpressionPtr Parser::number() {
  if (auto literal = duration()) return literal;
  const auto token = next();
  std::string digits;
  std::copy_if(token.text.begin(), token.text.end(), std::back_inserter(digits), [](char c) { return c != '\''; });
  const auto wrong = [&](std::string message, std::string advice) {
    fail(token.span, fmt::format("'{}': {}", token.text.substr(0, 60), message), std::move(advice));
    return nothing();
  };
  const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  const bool binary = digits.starts_with("0b") || digits.starts_with("0B");
  const bool floating =
      digits.find('.') != std::string::npos || digits.find_first_of(hexadecimal ? "pP" : "eE") != std::string::npos;
  const char* const end = digits.data() + digits.size();
  if (floating && !binary) {
    const char* const begin = digits.data() + (hexadecimal ? 2 : 0);
    const auto format = hexadecimal ? std::chars_format::hex : std::chars_format::general;
    double value = 0;
    auto result = std::from_chars(begin, end, value, format);
    const std::string_view suffix(result.ptr, static_cast<std::size_t>(end - result.ptr));
    if (result.ec == std::errc::invalid_argument) return wrong("not a number", "Write it like 1.5, 2e-3 or 0x1p-4");
    if (hexadecimal && digits.find_first_of("pP") == std::string::npos)
      return wrong("a hexadecimal float needs an exponent", "Write 0x1.8p0");
    const bool single = suffix == "f" || suffix == "F";
    if (suffix == "l" || suffix == "L") return wrong("a device has no long double", "Use double: leave out the suffix");
    if (!single && !suffix.empty())
      return wrong(fmt::format("unknown suffix '{}'", suffix), "A float ends in f or has no suffix");
    if (single && result.ec == std::errc()) {
      float narrow = 0;
      result = std::from_chars(begin, end, narrow, format);
      value = static_cast<double>(narrow);
    }
    if (result.ec == std::errc::result_out_of_range) {
      // Too large, or too small for anything but zero: the exponent's sign says which.
      const auto exponent = digits.find_first_of(hexadecimal ? "pP" : "eE");
      const bool tiny =
          exponent != std::string::npos ? digits[exponent + 1] == '-' : digits[0] == '0' || digits[0] == '.';
      if (!tiny)
        return wrong(fmt::format("too large for {}", single ? "float" : "double"),
                     single ? "Leave out the f, or use INFINITY" : "Use INFINITY");
      value = 0;
    }
    return make(token.span, FloatingLiteral{value, single});
  }
  const int base = hexadecimal ? 16 : binary ? 2 : digits.size() > 1 && digits[0] == '0' ? 8 : 10;
  const char* const begin = digits.data() + (hexadecimal || binary ? 2 : 0);
  std::uint64_t value = 0;
  const auto result = std::from_chars(begin, end, value, base);
  const std::string_view rest(result.ptr, static_cast<std::size_t>(end - result.ptr));
  if (result.ec == std::errc::result_out_of_range)
    return wrong("too large for 64 bits", "Use a double, or split the number");
  if (result.ec == std::errc::invalid_argument || (!rest.empty() && rest[0] >= '0' && rest[0] <= '9')) {
    if (base == 8) return wrong("an octal number has digits 0 to 7", "Leave out the leading 0");
    return wrong("not a number", "Write digits after the prefix");
  }
  if (base == 10 && (rest == "f" || rest == "F"))
    return wrong("an integer cannot end in f", fmt::format("Write {}.0f", digits.substr(0, digits.size() - 1)));
  const auto suffix = integer_suffix(rest);
  if (rest.starts_with("_") && rest.find_first_not_of("0123456789_") == std::string_view::npos) {
    std::string apart(token.text);
    std::replace(apart.begin(), apart.end(), '_', '\'');
    return wrong("digits are set apart with ', not with _", apart);
  }
  if (digits.starts_with("0o"))
    return wrong("an octal number begins with 0 alone", fmt::format("0{}", digits.substr(2)));
  if (!suffix)
    return wrong(fmt::format("unknown suffix '{}'", rest), "An integer can end in u, l, ul, ll, ull, z or uz");
  const auto literal = integer_literal(value, *suffix, base);
  if (!literal) return wrong("too large for a signed integer", "Add the suffix u");
  return make(token.span, *literal);
}

ExpressionPtr Parser::character() {
  const auto token = next();
  const auto open = token.text.find('\'');
  if (open != 0 && token.text.substr(0, open) != "u8") {
    fail(token.span, "a wide character literal", "Use a plain 'c' or a number", ErrorKind::unsupported);
    return nothing();
  }
  const auto value = unescape(token.text.substr(open + 1, token.text.size() - open - 2));
  if (!value || value->size() != 1) {
    fail(token.span,
         value && !value->empty() ? "a character literal holds one byte"
         : value                  ? "an empty character literal"
                                  : "an unknown escape in a character literal",
         value && value->size() > 1 ? "Write a string in double quotes" : "Write 'a', '\\n' or '\\x41'");
    return nothing();
  }
  return make(token.span, CharLiteral{static_cast<signed char>((*value)[0])});
}

ExpressionPtr Parser::string() {
  const auto begin = peek().span.begin;
  std::string whole;
  while (true) {
    if (const auto format = peek().is_identifier() ? integer_format(peek().text) : ""; !format.empty()) {
      next();
      whole += format;
      continue;
    }
    if (peek().kind != TokenKind::string) break;
    const auto token = next();
    const auto quote = token.text.find('"');
    const auto prefix = token.text.substr(0, quote);
    if (prefix.ends_with('R')) {
      const auto open = token.text.find('('), close = token.text.rfind(')');
      whole += token.text.substr(open + 1, close - open - 1);
      continue;
    }
    const auto part = unescape(token.text.substr(quote + 1, token.text.size() - quote - 2));
    if (!part) {
      fail(token.span, "an unknown escape in a string", "Write a backslash as \\\\");
      return nothing();
    }
    whole += *part;
  }
  const auto span = [&] { return Span{begin, previous_end_}; };
  auto literal = make(span(), StringLiteral{std::move(whole)});
  if (!at("s") || peek().space_before) return literal;
  next();  // "text"s
  std::vector<Argument> given(1);
  given.front().value = std::move(literal);
  return make(span(), Call{make(span(), Name{"std::string"}), std::move(given)});
}

ExpressionPtr Parser::lambda() {
  const auto begin = peek().span.begin;
  DevicePiece piece;
  const auto captures = group();
  piece.parameters = {previous_end_, previous_end_};
  if (at("(")) {
    const auto list = group();
    if (list.size() > 1) piece.parameters = {list.front().span.end, list.back().span.begin};
  }
  const auto words = peek().span.begin;
  while (!at_end() && !at("{") && !at(";")) next();
  const bool body = at("{");
  piece.body.begin = peek().span.begin;
  piece.type = std::string(text({words, std::max(words, piece.body.begin)}));
  if (body) group();
  piece.body.end = previous_end_;
  if (body && !failed() && (mode_ == Mode::mixed || in_function_) && is_host_function(captures, piece)) {
    if (in_function_) {
      fail({begin, previous_end_}, "a lambda inside of a function cannot launch kernels or call the CUDA Runtime",
           "Write a function with parameters, or the lambda outside of the function", ErrorKind::unsupported);
      return nothing();
    }
    piece.span = {begin, previous_end_};
    piece.name_span = {begin, begin};
    return host_lambda(std::move(piece));
  }
  if (!body && !failed()) {
    fail({begin, previous_end_}, "a list needs braces", "Write {1, 2, 3}; [] after a name selects an element");
    return nothing();
  }
  return make({begin, previous_end_}, Lambda{std::string(text({begin, previous_end_}))});
}

}  // namespace xcuda::cell
