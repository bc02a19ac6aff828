#include "compiler/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cell/lexer.hpp"

namespace xcuda::compiler {
namespace {

using cell::is_identifier_character;
using cell::is_identifier_start;

// After the literal that opens at `at`; an unterminated one ends with its line.
std::size_t behind_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == quote)
      return at + 1;
  }
  return at;
}

}  // namespace

std::vector<std::string> identifiers_of(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (is_identifier_start(c)) {
      auto end = i;
      while (end < text.size() && is_identifier_character(text[end])) ++end;
      names.emplace_back(text.substr(i, end - i));
      i = end;
    } else if (c >= '0' && c <= '9') {
      while (i < text.size() && (is_identifier_character(text[i]) || text[i] == '.' || text[i] == '\'')) ++i;
    } else if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i, 2) == "/*") {
      i = std::min(text.find("*/", i + 2), text.size() - 2) + 2;
    } else if (c == '"' || c == '\'') {
      i = behind_literal(text, i);
    } else {
      ++i;
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void KeptText::set(cell::Span span, char value) {
  const auto end = std::min<std::size_t>(span.end, kept_.size());
  for (std::size_t i = span.begin; i < end; ++i) kept_[i] = value;
}

bool KeptText::empty() const {
  return std::none_of(kept_.begin(), kept_.end(), [](char c) { return c != 0; });
}

std::string KeptText::compact(std::string_view path) const {
  constexpr int kLongestGap = 8;  // empty lines; a #line costs about as much
  std::string out;
  int line = 0, written = -1;  // the number of the line, and of the last line that was written
  for (std::size_t begin = 0; begin < text_.size();) {
    const auto end = std::min(text_.find('\n', begin), text_.size());
    ++line;
    const auto special = std::find_if(replaced_.begin(), replaced_.end(),
                                      [&](const auto& one) { return one.first >= begin && one.first < end; });
    std::string kept;
    for (auto i = begin; i < end; ++i) {
      for (const auto& [offset, text] : inserted_)
        if (offset == i && kept_[i] != 0) kept += text;
      kept.push_back(kept_[i] != 0 || text_[i] == '\t' ? text_[i] : ' ');
    }
    while (!kept.empty() && (kept.back() == ' ' || kept.back() == '\t' || kept.back() == '\r')) kept.pop_back();
    if (special != replaced_.end() && kept_[special->first] != 0) kept = special->second;
    // A newline inside a kept span stays: it may end a comment's line or be in a raw string.
    if (!kept.empty() || (end < text_.size() && kept_[end] != 0)) {
      if (written < 0 || line - written > kLongestGap)
        out += fmt::format("#line {} \"{}\"\n", line, path);
      else
        out.append(static_cast<std::size_t>(line - written - 1), '\n');
      out += kept;
      out += '\n';
      written = line;
    }
    begin = end + 1;
  }
  return out;
}

int line_of(std::string_view text, std::uint32_t offset) {
  return static_cast<int>(std::count(text.begin(), text.begin() + std::min<std::size_t>(offset, text.size()), '\n')) +
         1;
}

}  // namespace xcuda::compiler
