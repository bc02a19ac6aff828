// Numbers and words that programs read from texts with the C library: strtol() and its kin, sscanf().
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "cell/expression_root.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/host/runtime_calls.hpp"
#include "interpreter/lookup.hpp"
#include "language/handles.hpp"

namespace xcuda::interpreter {
namespace {

// The parts of a format, each with at most one conversion, which comes last: "%d", ", %f". Empty: it is wrong.
std::vector<std::string> parts_of(const std::string& format) {
  std::vector<std::string> parts(1);
  for (std::size_t at = 0; at < format.size(); ++at) {
    parts.back() += format[at];
    if (format[at] != '%') continue;
    if (at + 1 < format.size() && format[at + 1] == '%') {
      parts.back() += format[++at];
      continue;
    }
    const auto end = format.find_first_of("diouxXeEfFgGaAscpn[", at + 1);
    if (end == std::string::npos) return {};
    auto last = end;
    if (format[end] == '[') {  // "]" is a member of the set where it comes first
      auto from = end + 1;
      if (from < format.size() && format[from] == '^') ++from;
      last = format.find(']', from + 1);
      if (last == std::string::npos) return {};
    }
    parts.back() += format.substr(at + 1, last - at);
    parts.emplace_back();
    at = last;
  }
  return parts;
}

std::size_t begin_of_conversion(const std::string& part) {
  for (std::size_t at = 0; at + 1 < part.size(); ++at)
    if (part[at] == '%' && part[at + 1] == '%')
      ++at;
    else if (part[at] == '%')
      return at;
  return std::string::npos;
}

}  // namespace

// strtol(text, &end, base), strtod(text, &end), atoll(text)
Value RuntimeCalls::number_of_text(std::string_view name, const Arguments& given, cell::Span span) {
  using language::ScalarValue;
  const auto value = evaluate(*given[0]);
  const auto text = frame_.texts.of(value);
  if (!text)
    throw error(ErrorKind::type,
                fmt::format("{} expects a string, but {} is not one", name, snippet(run_.source, given[0]->span)),
                given[0]->span);
  const auto base = given.size() > 2 && given[2] != nullptr ? number(*given[2], "a base").as_signed() : 10;
  if (base < 0 || base == 1 || base > 36)
    throw error(ErrorKind::value, fmt::format("a base is 0 or from 2 to 36, not {}", base), given[2]->span);
  const char* const begin = text->c_str();
  char* end = nullptr;
  const auto radix = static_cast<int>(base);
  const auto read = [&]() -> ScalarValue {
    if (name == "strtof") return ScalarValue::of(std::strtof(begin, &end));
    if (name == "strtod") return ScalarValue::of(std::strtod(begin, &end));
    if (name == "strtoul") return ScalarValue::of(std::strtoul(begin, &end, radix));
    if (name == "strtoull") return ScalarValue::of(std::strtoull(begin, &end, radix));
    if (name == "strtol") return ScalarValue::of(std::strtol(begin, &end, radix));
    return ScalarValue::of(std::strtoll(begin, &end, radix));
  };
  const auto result = read();
  if (given.size() < 2 || given[1] == nullptr || language::is_null(cell::without_casts(*given[1]))) return result;
  const auto& place = output(*given[1]);
  auto rest = rest_of(value, static_cast<std::size_t>(end - begin), span);
  auto& variable = frame_.lookup.variable(place);
  if (variable.written == kCharacters)
    variable.value = std::move(rest);
  else
    give_memory(place, std::get<Pointer>(std::move(rest)), span);
  return result;
}

// Reads what one part of a format says from the beginning of a text, and gives the rest. count: of what was stored; -1
// where nothing was read.
std::string RuntimeCalls::scanned(const std::string& rest, const std::string& part, const cell::Expression* to,
                                  int& count, cell::Span span) {
  const auto begin = begin_of_conversion(part);
  const auto modifiers = part.find_first_not_of("%*0123456789", begin + 1);
  const auto conversion = part.find_first_not_of("hlqjztL", modifiers);
  const char kind = part[conversion];
  const bool dropped = part.find('*', begin) < conversion;
  const auto before = part.substr(0, modifiers), after = part.substr(conversion);
  int consumed = -1;
  const auto read = [&](const char* length, auto* place) {
    const auto format = before + length + after + "%n";
    const int read = dropped ? std::sscanf(rest.c_str(), format.c_str(), &consumed)
                             : std::sscanf(rest.c_str(), format.c_str(), place, &consumed);
    count = read == EOF ? -1 : !dropped && consumed >= 0 ? 1 : 0;
  };
  const auto store = [&](const language::ScalarValue& value) {
    if (count > 0) frame_.targets.store(target_of(*to), value, span);
  };
  if (kind == 'd' || kind == 'i') {
    long long value = 0;
    read("ll", &value);
    store(language::ScalarValue::of(value));
  } else if (std::string_view("ouxXp").find(kind) != std::string_view::npos) {
    unsigned long long value = 0;
    read(kind == 'p' ? "" : "ll", &value);
    store(language::ScalarValue::of(value));
  } else if (std::string_view("eEfFgGaA").find(kind) != std::string_view::npos) {
    double value = 0;
    read("l", &value);
    store(language::ScalarValue::of(value));
  } else {
    std::vector<char> text(rest.size() + 2);
    read("", text.data());
    if (count > 0 && kind == 'c') {
      const auto digits = part.find_first_of("123456789", begin);
      const auto width = digits < conversion ? std::strtoull(part.c_str() + digits, nullptr, 10) : 1;
      if (width == 1)
        store(language::ScalarValue::of(text[0]));
      else
        for (std::size_t i = 0; i < width; ++i) {
          auto element = frame_.addresses.moved(frame_.addresses.of(*to), static_cast<std::int64_t>(i), span);
          element.shape.clear();
          frame_.targets.store(element, language::ScalarValue::of(text[i]), span);
        }
    } else if (count > 0) {
      write_text(*to, text.data(), span);
    }
  }
  return consumed < 0 ? rest : rest.substr(static_cast<std::size_t>(consumed));
}

// sscanf(text, format, &a, ...): how many conversions were stored, or EOF where the text ends before the first one.
Value RuntimeCalls::scan_text(const Arguments& given, cell::Span span) {
  auto rest = text(*given[0]);
  const auto length = rest.size();
  const auto parts = parts_of(text(*given[1]));
  if (parts.empty())
    throw error(ErrorKind::value, fmt::format("{} is not a format of sscanf", snippet(run_.source, given[1]->span)),
                given[1]->span)
        .advise("%d, %u, %x, %f, %s, %c and %[...] read numbers and text; %* skips them.");
  int stored = 0;
  std::size_t next = 2;
  for (const auto& part : parts) {
    const auto begin = begin_of_conversion(part);
    if (begin == std::string::npos) break;  // what follows the last conversion stores nothing
    const bool dropped = part.compare(begin, 2, "%*") == 0, position = part.ends_with('n');
    if (!dropped && next >= given.size())
      throw error(ErrorKind::type, fmt::format("the format of sscanf has more conversions than arguments: {}", part),
                  given[1]->span);
    const auto* to = dropped ? nullptr : given[next++];
    if (position) {
      const auto end = part.substr(0, begin) + "%n";
      int consumed = 0;
      std::sscanf(rest.c_str(), end.c_str(), &consumed);
      rest.erase(0, static_cast<std::size_t>(consumed));
      if (to != nullptr)
        frame_.targets.store(target_of(*to), language::ScalarValue::of(static_cast<int>(length - rest.size())), span);
      continue;
    }
    int count = 0;
    auto after = scanned(rest, part, to, count, span);
    if (count < 0 && stored == 0) return language::ScalarValue::of(EOF);
    if (count < 0 || (count == 0 && !(dropped && after.size() < rest.size()))) break;
    stored += count;
    rest = std::move(after);
  }
  return language::ScalarValue::of(stored);
}

}  // namespace xcuda::interpreter
