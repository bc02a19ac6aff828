#include "reference/missing_headers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cell/lexer.hpp"
#include "reference/builtins.hpp"

namespace xcuda::reference {
namespace {

// "cub::BlockReduce" of "cub::BlockReduce<int, 128> reduce;"
std::string_view qualified_name(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (cell::is_identifier_character(text[end]) || text[end] == ':')) ++end;
  return text.substr(0, end);
}

// The texts in quotation marks: `namespace "cuda::std" has no member "span"` has two.
std::vector<std::string_view> quoted(std::string_view text) {
  std::vector<std::string_view> parts;
  for (auto open = text.find('"'); open != text.npos; open = text.find('"', open)) {
    const auto close = text.find('"', open + 1);
    if (close == text.npos) break;
    parts.push_back(text.substr(open + 1, close - open - 1));
    open = close + 1;
  }
  return parts;
}

std::string unknown_name(const Complaint& complaint) {
  const auto& [text, line, column] = complaint;
  const auto names = quoted(text);
  if (text.starts_with("identifier") && names.size() == 1) return std::string(names[0]);
  if (text.starts_with("namespace") && names.size() == 2) return fmt::format("{}::{}", names[0], names[1]);
  const bool names_namespace =
      text.starts_with("name followed by \"::\"") || text.starts_with("name must be a namespace name");
  if (names_namespace && column > 0 && static_cast<std::size_t>(column) <= line.size())
    return std::string(qualified_name(line.substr(static_cast<std::size_t>(column) - 1)));
  return {};
}

// Of a::b::c, which may be a member of a class, a::b will do.
const Builtin* declared_in_header(std::string name) {
  if (name == "cooperative_groups") name += "::this_thread_block";  // using namespace cooperative_groups;
  while (!name.empty()) {
    if (const auto* builtin = find_builtin(name)) return builtin->header.empty() ? nullptr : builtin;
    const auto last = name.rfind("::");
    name.resize(last == name.npos ? 0 : last);
  }
  return nullptr;
}

}  // namespace

std::string headers_to_add(const std::vector<Complaint>& complaints) {
  std::vector<const Builtin*> missing;
  for (const auto& complaint : complaints) {
    const auto* one = declared_in_header(unknown_name(complaint));
    if (one != nullptr && std::none_of(missing.begin(), missing.end(),
                                       [&](const Builtin* known) { return known->header == one->header; }))
      missing.push_back(one);
  }
  std::string text;
  for (const auto* one : missing)
    text += fmt::format("{} #include {}, which declares {}", text.empty() ? "Add" : ", and", one->header, one->name);
  return text.empty() ? text : text + ".";
}

}  // namespace xcuda::reference
