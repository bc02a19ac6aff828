#include "interpreter/format_printf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace xcuda::interpreter {
namespace {

// One conversion through the C library; length is the modifier that the value's C type needs.
template <class Value>
void append(std::string& text, const std::string& flags, const char* length, char conversion, Value value) {
  const auto format = flags + length + conversion;
  const int size = std::snprintf(nullptr, 0, format.c_str(), value);
  if (size <= 0) return;
  const auto at = text.size();
  text.resize(at + static_cast<std::size_t>(size) + 1);
  std::snprintf(text.data() + at, static_cast<std::size_t>(size) + 1, format.c_str(), value);
  text.pop_back();
}

std::uint64_t masked(std::uint64_t bits, std::size_t size) {
  size = std::max<std::size_t>(size, 4);  // promotion to int
  return size >= 8 ? bits : bits & 0xffff'ffff;
}

}  // namespace

std::string format_printf(const Source& source, std::string_view format, cell::Span format_span,
                          const std::vector<PrintArgument>& arguments, std::string_view function) {
  std::string text;
  std::size_t next = 0;
  const auto fail = [&](ErrorKind kind, std::string message, cell::Span span) {
    return Error(kind, std::move(message)).at(source.place(span));
  };
  bool by_number = false;  // %2$d
  const auto take = [&](std::string_view conversion) -> const PrintArgument& {
    if (next >= arguments.size())
      throw fail(ErrorKind::value, fmt::format("{} has no argument for {}", function, conversion), format_span);
    return arguments[next++];
  };
  const auto told = [](const PrintArgument& argument) -> std::string {
    if (const auto* value = std::get_if<language::ScalarValue>(&argument.value)) return value->type().name;
    return std::holds_alternative<std::string>(argument.value) ? "a string" : "an array";
  };
  const auto integer = [&](const PrintArgument& argument, std::string_view conversion) -> const language::ScalarValue& {
    const auto* value = std::get_if<language::ScalarValue>(&argument.value);
    if (value == nullptr || !value->type().is_integer())
      throw fail(ErrorKind::type, fmt::format("{} expects an integer, got {}", conversion, told(argument)),
                 argument.span)
          .advise(value != nullptr ? "Use %f or %g to print a floating-point number." : "");
    return *value;
  };
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      text.push_back(format[i]);
      continue;
    }
    const auto start = i++;
    if (i < format.size() && format[i] == '%') {
      text.push_back('%');
      continue;
    }
    std::string flags = "%";
    const auto digits = std::min(format.find_first_not_of("0123456789", i), format.size());
    if (digits > i && digits - i < 4 && format[i] != '0' && digits < format.size() && format[digits] == '$') {
      by_number = true;
      next = std::stoul(std::string(format.substr(i, digits - i))) - 1;
      i = digits + 1;
    }
    while (i < format.size() && std::strchr("-+ #0", format[i]) != nullptr) flags.push_back(format[i++]);
    const auto width = [&] {
      if (i < format.size() && format[i] == '*') {
        ++i;
        const auto& argument = take("*");
        flags += std::to_string(std::clamp<std::int64_t>(integer(argument, "*").as_signed(), -4096, 4096));
        return;
      }
      std::string digits;
      while (i < format.size() && format[i] >= '0' && format[i] <= '9') digits.push_back(format[i++]);
      if (digits.size() > 4)
        throw fail(ErrorKind::value, fmt::format("the width {} of a conversion is too large", digits), format_span);
      flags += digits;
    };
    width();
    if (i < format.size() && format[i] == '.') {
      flags.push_back(format[i++]);
      width();
    }
    const auto length = i;
    while (i < format.size() && std::strchr("hlLjzt", format[i]) != nullptr) ++i;
    const auto halves = std::count(format.begin() + static_cast<std::ptrdiff_t>(length),
                                   format.begin() + static_cast<std::ptrdiff_t>(i), 'h');
    const char c = i < format.size() ? format[i] : '\0';
    const auto conversion = format.substr(start, i < format.size() ? i - start + 1 : std::string_view::npos);
    switch (c) {
      case 'd':
      case 'i': {
        const auto& value = integer(take(conversion), conversion);
        auto given = value.as_signed();
        if (halves == 1) given = static_cast<std::int16_t>(given);
        if (halves == 2) given = static_cast<std::int8_t>(given);
        append<long long>(text, flags, "ll", 'd', given);
        break;
      }
      case 'u':
      case 'x':
      case 'X':
      case 'o': {
        const auto& value = integer(take(conversion), conversion);
        auto given = masked(value.as_unsigned(), value.type().size);
        if (halves > 0) given &= halves == 1 ? 0xffff : 0xff;
        append<unsigned long long>(text, flags, "ll", c, given);
        break;
      }
      case 'c':
        append<int>(text, flags, "", 'c', static_cast<int>(integer(take(conversion), conversion).as_signed()));
        break;
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
      case 'a':
      case 'A': {
        const auto& argument = take(conversion);
        const auto* value = std::get_if<language::ScalarValue>(&argument.value);
        if (value == nullptr || value->type().is_integer())
          throw fail(ErrorKind::type,
                     fmt::format("{} expects a floating-point number, got {}", conversion, told(argument)),
                     argument.span)
              .advise(value != nullptr ? "Use %d or %zu to print an integer, or convert with double(...)." : "");
        append<double>(text, flags, "", c, value->as_real());
        break;
      }
      case 's': {
        const auto& argument = take(conversion);
        const auto* string = std::get_if<std::string>(&argument.value);
        if (string == nullptr) throw fail(ErrorKind::type, fmt::format("{} takes a string", conversion), argument.span);
        append<const char*>(text, flags, "", 's', string->c_str());
        break;
      }
      case 'p': {
        const auto& argument = take(conversion);
        const auto* address = std::get_if<device::Address>(&argument.value);
        if (address == nullptr)
          throw fail(ErrorKind::type, fmt::format("{} takes an array", conversion), argument.span);
        text += *address == 0 ? "(nil)" : fmt::format("{:#x}", *address);
        break;
      }
      default: throw fail(ErrorKind::value, fmt::format("printf has no conversion {}", conversion), format_span);
    }
  }
  if (!by_number && next < arguments.size())
    throw fail(ErrorKind::value, fmt::format("{} has more arguments than conversions", function), arguments[next].span);
  return text;
}

}  // namespace xcuda::interpreter
