#include "cell/library_scope.hpp"

#include <algorithm>
#include <list>

#include "base/text.hpp"
#include "cell/lexer.hpp"
#include "cell/library_names.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {
namespace {

constexpr std::string_view kChrono[] = {
    "duration",     "time_point",      "duration_cast", "nanoseconds",  "microseconds",
    "milliseconds", "seconds",         "minutes",       "hours",        "days",
    "weeks",        "time_point_cast", "system_clock",  "steady_clock", "high_resolution_clock"};
// Those of the host alone, that statements know by their short names too.
constexpr std::string_view kHostValues[] = {"cout", "cerr", "clog", "string", "vector", "function"};
constexpr std::string_view kRatios[] = {"nano", "micro", "milli", "kilo", "mega", "giga", "ratio"};
// Functions of std that need no template arguments.
constexpr std::string_view kMakers[] = {"make_pair", "make_tuple", "tuple_cat", "to_array", "exchange", "minmax"};

bool is_name(const std::vector<Token>& words, std::size_t i) {
  return words[i].is_identifier() && (i == 0 || !(words[i - 1].is("::") || words[i - 1].is(".")));
}

}  // namespace

std::vector<std::string> standard_names() {
  std::vector<std::string> names = {"std::endl", "std::pair", "std::tuple", "std::array"};
  for (const auto name : kChrono) names.push_back("std::chrono::" + std::string(name));
  for (const auto name : kHostValues) names.push_back("std::" + std::string(name));
  for (const auto name : kRatios) names.push_back("std::" + std::string(name));
  for (const auto name : kMakers) names.push_back("std::" + std::string(name));
  return names;
}

std::optional<std::string> LibraryScope::full_name(std::string_view word, const Types& types) const {
  if (const auto known = names_.find(word); known != names_.end()) return known->second;
  if (types.contains(word)) return std::nullopt;
  if (chrono_ && among(word, kChrono)) return "std::chrono::" + std::string(word);
  const auto of_std = "std::" + std::string(word);
  if (std_ && (is_library_name(of_std) || among(word, kHostValues) || among(word, kRatios))) return of_std;
  return std::nullopt;
}

std::string LibraryScope::join(const std::vector<Token>& words, const Types& types) const {
  if (!std_ && !chrono_ && names_.empty()) return cell::join(words);
  std::list<std::string> texts;  // that tokens refer to
  auto full = words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_name(words, i)) continue;
    if (auto name = full_name(words[i].text, types)) full[i].text = texts.emplace_back(std::move(*name));
  }
  return cell::join(full);
}

bool LibraryScope::is_callable(std::string_view word, const Types& types) const {
  const auto full = full_name(word, types);
  return full && (full->starts_with("std::chrono::") || among(word, kMakers) || *full == "std::string" ||
                  full->starts_with("std::vector"));
}

bool LibraryScope::is_stream(std::string_view word, const Types& types) const {
  const auto full = full_name(word, types);
  return full && (*full == "std::cout" || *full == "std::cerr" || *full == "std::clog");
}

bool LibraryScope::add(std::string_view declaration) {
  auto tokens = tokens_of(declaration);
  if (!tokens.empty() && tokens.back().is(";")) tokens.pop_back();
  if (tokens.size() < 3) return false;
  const auto full = [&](std::size_t from, std::size_t to) {
    const auto at = [&](std::size_t i) { return tokens.begin() + static_cast<std::ptrdiff_t>(i); };
    return join({at(from), at(to)}, {});
  };
  const auto name = [&](std::string_view short_name, std::string of) {
    if (of.starts_with("::")) of.erase(0, 2);
    if (of != "std" && !(of.starts_with("std::") && (is_library_name(of) || is_host_library_name(of)))) return false;
    names_.insert_or_assign(std::string(short_name), std::move(of));
    return true;
  };
  const auto count = tokens.size();
  if (tokens[0].is("namespace") && tokens[2].is("=") && count > 3) return name(tokens[1].text, full(3, count));
  if (tokens[0].is("typedef")) return name(tokens.back().text, full(1, count - 1));
  if (!tokens[0].is("using")) return false;
  if (tokens[1].is("namespace")) {
    const auto of = full(2, count);
    std_ = std_ || of == "std" || of == "::std";
    chrono_ = chrono_ || of == "std::chrono" || of == "::std::chrono";
    return of.find("std") != std::string::npos;
  }
  if (tokens[2].is("=") && count > 3) return name(tokens[1].text, full(3, count));
  return name(tokens.back().text, full(1, count));
}

}  // namespace xcuda::cell
