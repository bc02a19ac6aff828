// Numbers and words that programs read from texts with the C library: strtol() and its kin, sscanf().
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cell/expression_root.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/host/runtime_calls.hpp"
#include "interpreter/lookup.hpp"
#include "language/handles.hpp"

namespace xcuda::interpreter {

// A conversion of a format, with the text before it; the last one of a format has only the text.
struct ScanPart {
  std::string before;      // ", ", with "%%" as the format has it
  bool dropped = false;    // %*d
  std::string width;       // "15"
  std::string length;      // "ll"
  std::string conversion;  // "d", "[a-z]"

  char kind() const { return conversion.empty() ? '\0' : conversion.front(); }
  std::string with(std::string_view other) const {  // another length
    return fmt::format("{}%{}{}{}{}", before, dropped ? "*" : "", width, other, conversion);
  }
};

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kSigned = "di", kUnsigned = "ouxX", kFloating = "eEfFgGaA";

// glibc knows more, as %ms and %ls, which store something else than what scanned() has a place for.
bool has_known_length(const ScanPart& part) {
  const auto any = [&](std::initializer_list<std::string_view> lengths) {
    return std::find(lengths.begin(), lengths.end(), part.length) != lengths.end();
  };
  const char kind = part.kind();
  if (kSigned.find(kind) != kSigned.npos || kUnsigned.find(kind) != kUnsigned.npos || kind == 'n')
    return any({"", "hh", "h", "l", "ll", "q", "j", "z", "t", "L"});
  if (kFloating.find(kind) != kFloating.npos) return any({"", "l", "L"});
  return "csp["sv.find(kind) != std::string_view::npos && part.length.empty();
}

// Nothing: it is not a format.
std::optional<std::vector<ScanPart>> scan_parts_of(std::string_view format) {
  std::vector<ScanPart> parts(1);
  std::size_t at = 0;
  const auto take = [&](std::string_view characters) {
    const auto begin = at;
    at = std::min(format.find_first_not_of(characters, at), format.size());
    return std::string(format.substr(begin, at - begin));
  };
  while (at < format.size()) {
    auto& part = parts.back();
    const char next = format[at++];
    if (next != '%' || format.substr(at, 1) == "%") {
      part.before += next;
      if (next == '%') part.before += format[at++];
      continue;
    }
    if (format.substr(at, 1) == "*") {
      part.dropped = true;
      ++at;
    }
    part.width = take("0123456789");
    part.length = take("hlqjztL");
    if (at == format.size()) return std::nullopt;
    auto last = at;
    if (format[at] == '[') {  // "]" is a member of the set where it comes first
      const auto first = format.substr(at + 1, 1) == "^" ? at + 2 : at + 1;
      last = format.find(']', first + 1);
      if (last == std::string_view::npos) return std::nullopt;
    }
    part.conversion = format.substr(at, last + 1 - at);
    if (!has_known_length(part)) return std::nullopt;
    at = last + 1;
    parts.emplace_back();
  }
  return parts;
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
// where the text ends before it.
std::string RuntimeCalls::scanned(const std::string& rest, const ScanPart& part, const cell::Expression* to, int& count,
                                  cell::Span span) {
  int consumed = -1;
  const auto read = [&](const ScanPart& one, std::string_view length, auto* place) {
    const auto format = one.with(length) + "%n";
    const int read = part.dropped ? std::sscanf(rest.c_str(), format.c_str(), &consumed)
                                  : std::sscanf(rest.c_str(), format.c_str(), place, &consumed);
    count = read == EOF ? -1 : !part.dropped && consumed >= 0 ? 1 : 0;
  };
  const auto store = [&](const language::ScalarValue& value) {
    if (count > 0) frame_.targets.store(target_of(*to), value, span);
  };
  const auto number = [&](std::string_view length, auto value) {
    read(part, length, &value);
    store(language::ScalarValue::of(value));
  };
  const char kind = part.kind();
  if (kSigned.find(kind) != kSigned.npos) {
    number("ll", 0LL);
  } else if (kUnsigned.find(kind) != kUnsigned.npos) {
    number("ll", 0ULL);
  } else if (kind == 'p') {
    void* address = nullptr;
    read(part, "", &address);
    store(language::ScalarValue::of(reinterpret_cast<std::uintptr_t>(address)));
  } else if (kFloating.find(kind) != kFloating.npos) {
    part.length.empty() ? number("", 0.0F) : number("l", 0.0);
  } else {
    std::vector<char> text(rest.size() + 1);  // all of the rest, and the end of %s
    const auto width = std::strtoull(part.width.c_str(), nullptr, 10);
    auto within = part;
    if (width > rest.size() && !rest.empty()) within.width = std::to_string(rest.size());
    read(within, "", text.data());
    if (kind == 'c' && width <= 1) {
      store(language::ScalarValue::of(text[0]));
    } else if (count > 0 && kind == 'c') {
      int begun = 0;
      std::sscanf(rest.c_str(), (part.before + "%n").c_str(), &begun);
      for (int i = 0; i < consumed - begun; ++i) {  // fewer than the width where the text ends
        auto element = frame_.addresses.moved(frame_.addresses.of(*to), i, span);
        element.shape.clear();
        frame_.targets.store(element, language::ScalarValue::of(text[static_cast<std::size_t>(i)]), span);
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
  const auto parts = scan_parts_of(text(*given[1]));
  if (!parts)
    throw error(ErrorKind::value, fmt::format("{} is not a format of sscanf", snippet(run_.source, given[1]->span)),
                given[1]->span)
        .advise("%d, %u, %x, %f, %s, %c and %[...] read numbers and text; %* skips them.");
  int stored = 0;
  std::size_t next = 2;
  for (const auto& part : *parts) {
    const char kind = part.kind();
    if (kind != '\0' && !part.dropped && next >= given.size())
      throw error(ErrorKind::type,
                  fmt::format("the format of sscanf has more conversions than arguments: {}", part.with(part.length)),
                  given[1]->span);
    if (kind == '\0' || kind == 'n') {
      if (kind == '\0' && part.before.empty()) break;
      int consumed = -1;
      const auto format = part.before + "%n";
      if (std::sscanf(rest.c_str(), format.c_str(), &consumed) == EOF && stored == 0)
        return language::ScalarValue::of(EOF);
      if (consumed < 0 || kind == '\0') break;
      rest.erase(0, static_cast<std::size_t>(consumed));
      if (!part.dropped)
        frame_.targets.store(target_of(*given[next++]),
                             language::ScalarValue::of(static_cast<int>(length - rest.size())), span);
      continue;
    }
    int count = 0;
    auto after = scanned(rest, part, part.dropped ? nullptr : given[next++], count, span);
    if (count < 0 && stored == 0) return language::ScalarValue::of(EOF);
    if (count < 0 || (count == 0 && !(part.dropped && after.size() < rest.size()))) break;
    stored += count;
    rest = std::move(after);
  }
  return language::ScalarValue::of(stored);
}

}  // namespace xcuda::interpreter
