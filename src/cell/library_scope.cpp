#include "cell/library_scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>

#include "base/text.hpp"
#include "cell/container_types.hpp"
#include "cell/lexer.hpp"
#include "cell/library_names.hpp"
#include "cell/parser.hpp"
#include "cell/records/standard_exceptions.hpp"
#include "cell/tree.hpp"

namespace xcuda::cell {
namespace {

constexpr std::string_view kChrono[] = {
    "duration",     "time_point",      "duration_cast", "nanoseconds",  "microseconds",
    "milliseconds", "seconds",         "minutes",       "hours",        "days",
    "weeks",        "time_point_cast", "system_clock",  "steady_clock", "high_resolution_clock"};
// Those of the host alone, that statements know by their short names too.
constexpr std::string_view kHostValues[] = {"cout", "cerr", "clog", "string", "string_view", "vector", "function"};
constexpr std::string_view kRatios[] = {"nano", "micro", "milli", "kilo", "mega", "giga", "ratio"};
// Functions of std that need no template arguments.
constexpr std::string_view kMakers[] = {"make_pair", "make_tuple", "tuple_cat", "to_array", "exchange", "minmax"};

// Functions of std that no cell defines: begin(v) after using namespace std.
constexpr std::string_view kFunctions[] = {
    "begin",   "end",     "cbegin", "cend",     "distance",     "next",        "prev",          "advance",
    "getline", "greater", "less",   "plus",     "minus",        "multiplies",  "greater_equal", "less_equal",
    "divides", "modulus", "negate", "equal_to", "not_equal_to", "logical_and", "logical_or",    "logical_not"};

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
  for (const auto& one : standard_exceptions()) names.push_back("std::" + std::string(one.name));
  return names;
}

std::optional<std::string> LibraryScope::full_name(std::string_view word, const Types& types) const {
  if (const auto known = names_.find(word); known != names_.end()) return known->second;
  if (types.contains(word)) return std::nullopt;
  if (chrono_ && among(word, kChrono)) return "std::chrono::" + std::string(word);
  const auto of_std = "std::" + std::string(word);
  if (std_ && among(word, kFunctions) && !functions_of_cells_.contains(word)) return of_std;
  if (std_ && is_standard_exception(word)) return std::string(kRecord) + of_std;
  if (std_ && (word == "nullopt" || word == "in_place")) return of_std;
  if (std_ && (is_library_name(of_std) || among(word, kHostValues) || among(word, kRatios))) return of_std;
  return std::nullopt;
}

void LibraryScope::know(const DevicePiece& piece) {
  if (piece.kind == DeviceKind::directive && piece.directive == "define")
    return piece.function_like_macro ? define(piece.name, Macro{piece.parameter_names, piece.value})
                                     : define(piece.name, piece.value);
  if (piece.kind == DeviceKind::function && !piece.container) functions_of_cells_.insert(piece.name);
  const auto add = [&](const std::string& name) {
    if (name.find("::") != std::string::npos) members_.insert(name);
  };
  if (piece.kind == DeviceKind::variable) add(piece.name);
  for (const auto& [name, value] : piece.enumerators) add(name);
}

std::string LibraryScope::own_name(std::string_view word) const {
  if (const auto known = used_names_.find(word); known != used_names_.end() && members_.contains(known->second))
    return known->second;
  for (const auto& space : used_)
    if (auto name = space + std::string(word); members_.contains(name)) return name;
  return {};
}

void LibraryScope::add_record(std::string_view name) {
  names_.insert_or_assign(std::string(name), fmt::format("{}{}", kRecord, name));
}

void LibraryScope::forget_record(std::string_view name) {
  if (is_record(name)) names_.erase(names_.find(name));
}

bool LibraryScope::is_record(std::string_view name) const {
  const auto known = names_.find(name);
  return known != names_.end() && known->second.starts_with(kRecord);
}

std::string LibraryScope::join(const std::vector<Token>& written, const Types& types) const {
  auto words = written;
  for (std::size_t i = 0; i + 1 < words.size();)  // struct Particle, as C has it
    if ((words[i].is("struct") || words[i].is("class")) && words[i + 1].is_identifier())
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  for (std::size_t i = 0; i + 2 < words.size(); ++i)
    if (words[i].is("std") && words[i + 1].is("::") && is_standard_exception(words[i + 2].text)) {
      if (i > 0 && words[i - 1].is("::")) words.erase(words.begin() + static_cast<std::ptrdiff_t>(--i));
      if (i + 3 >= words.size() || !words[i + 3].is("::")) words[i].text = "struct std";
    }
  if (!std_ && !chrono_ && names_.empty()) return cell::join(words);
  std::list<std::string> texts;  // that tokens refer to
  auto full = words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_name(words, i)) continue;
    auto name = full_name(words[i].text, types);
    if (name && name->starts_with(kRecord) && i + 1 < words.size() && words[i + 1].is("::")) continue;
    // map<int, float>, and not map(n, f, x)
    if (!name && std_ && is_container_name(words[i].text) && !types.contains(words[i].text))
      if (i + 1 < words.size() ? words[i + 1].is("<") : words[i].text.ends_with("stringstream"))
        name = "std::" + std::string(words[i].text);
    if (name) full[i].text = texts.emplace_back(std::move(*name));
  }
  return cell::join(full);
}

bool LibraryScope::is_callable(std::string_view word, const Types& types) const {
  const auto full = full_name(word, types);
  return full && (full->starts_with("std::chrono::") || among(word, kMakers) || among(word, kFunctions) ||
                  full->starts_with("std::string") || full->starts_with("std::vector") || full->starts_with(kRecord));
}

bool LibraryScope::is_stream(std::string_view word, const Types& types) const {
  const auto full = full_name(word, types);
  return full && (*full == "std::cout" || *full == "std::cerr" || *full == "std::clog");
}

const ArrayName* LibraryScope::array(std::string_view type) const {
  const auto known = arrays_.find(type);
  return known == arrays_.end() ? nullptr : &known->second;
}

// The name means what its newest declaration says: an array where that has extents.
void LibraryScope::add_array(std::string_view name, const std::vector<Token>& type, const std::vector<Token>& extents) {
  forget_array(name);
  auto words = type;
  const bool is_const = std::erase_if(words, [](const Token& word) { return word.is("const"); }) > 0;
  ArrayName array{join(words, {}), {}, is_const};
  for (std::size_t i = 0; i < extents.size();) {
    std::vector<Token> extent;
    int depth = 0;
    for (; i < extents.size(); ++i) {
      if (extents[i].is("[") && depth++ == 0) continue;
      if (extents[i].is("]") && --depth == 0) break;
      extent.push_back(extents[i]);
    }
    if (extent.empty()) return;
    array.extents.push_back(cell::join(extent));
    ++i;
  }
  if (const auto* row = this->array(array.element)) {  // using Block = Row[2];
    array.extents.insert(array.extents.end(), row->extents.begin(), row->extents.end());
    array.is_const = array.is_const || row->is_const;
    array.element = row->element;
  }
  if (!array.extents.empty()) arrays_.emplace(name, std::move(array));
}

void LibraryScope::forget_array(std::string_view name) {
  if (const auto known = arrays_.find(name); known != arrays_.end()) arrays_.erase(known);
}

std::string LibraryScope::cast_type(std::string type) const {
  if (!type.ends_with('*')) return type;
  auto name = trim(std::string_view(type).substr(0, type.size() - 1));
  bool is_const = true;
  if (name.starts_with("const "))
    name.remove_prefix(6);
  else if (name.ends_with(" const"))
    name.remove_suffix(6);
  else
    is_const = false;
  const auto* row = array(trim(name));
  if (row == nullptr) return type;
  return (is_const || row->is_const ? "const " : "") + row->element + "*";
}

bool LibraryScope::add(std::string_view declaration) {
  auto tokens = tokens_of(declaration);
  if (!tokens.empty() && tokens.back().is(";")) tokens.pop_back();
  if (tokens.size() < 3) return false;
  const auto comma = std::find_if(tokens.begin(), tokens.end(), [](const Token& token) { return token.is(","); });
  const bool several = tokens[0].is("using") && !tokens[2].is("=") && comma != tokens.end();
  if (several) {  // using std::cout, std::endl;
    const auto at = comma->span.begin;
    const bool first = add(declaration.substr(0, at));
    return add("using " + std::string(declaration.substr(at + 1))) || first;
  }
  const auto part = [&](auto from, auto to) { return std::vector<Token>(from, to); };
  const auto bracket = std::find_if(tokens.begin(), tokens.end(), [](const Token& token) { return token.is("["); });
  const bool rows = std::all_of(tokens.begin(), bracket, [](const Token& token) {
    return token.is_identifier() || token.is("::") || token.is("=") || token.is("<") || token.is(">") || token.is(",");
  });
  if (tokens[0].is("typedef") && rows) {
    const auto name = std::prev(bracket);
    add_array(name->text, part(tokens.begin() + 1, name), part(bracket, tokens.end()));
    if (bracket != tokens.end()) return false;
  } else if (tokens[0].is("using") && tokens[2].is("=") && rows) {
    add_array(tokens[1].text, part(tokens.begin() + 3, std::max(bracket, tokens.begin() + 3)),
              part(bracket, tokens.end()));
    if (bracket != tokens.end()) return false;
  }
  const auto full = [&](std::size_t from, std::size_t to) {
    const auto at = [&](std::size_t i) { return tokens.begin() + static_cast<std::ptrdiff_t>(i); };
    return join({at(from), at(to)}, {});
  };
  const auto name = [&](std::string_view short_name, std::string of) {
    if (of.starts_with("::")) of.erase(0, 2);
    if (of != "std" && record_name(of).empty() &&
        !(of.starts_with("std::") && (is_library_name(of) || is_host_library_name(of))))
      return false;
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
    if (!of.starts_with("std") && !of.starts_with("::std")) used_.push_back(of + "::");
    return of.find("std") != std::string::npos;
  }
  if (tokens[2].is("=") && count > 3) return name(tokens[1].text, full(3, count));
  used_names_.insert_or_assign(std::string(tokens.back().text), full(1, count));
  return name(tokens.back().text, full(1, count));
}

}  // namespace xcuda::cell
