#include "language/python/tokens.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"

namespace xcuda::language {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Whether "//" divides here: a // 2, a//b, not a comment of words or one that is two blanks away.
bool is_division(std::string_view text, std::size_t at) {
  const auto before = text.substr(0, at), after = text.substr(at + 2);
  const auto first = after.find_first_not_of(' ');
  const auto last = before.find_last_not_of(' ');
  if (first == std::string_view::npos || last == std::string_view::npos) return false;
  const auto blanks = at - last - 1;
  if (blanks != first || blanks > 1 || !(is_word(after[first]) || after[first] == '(')) return false;
  auto end = first;
  while (end < after.size() && (is_word(after[end]) || after[end] == '.')) ++end;
  const auto next = trim(after.substr(end));
  return next.empty() || !is_word(next[0]);
}

constexpr std::size_t kLongest = 4096;  // bytes; the time to write a line again grows with its square

}  // namespace

std::optional<std::vector<PythonToken>> python_tokens(std::string_view text) {
  if (text.size() > kLongest) return std::nullopt;
  static constexpr std::string_view kMarks[] = {
      "**=", "//=", "...", "<<=", ">>=", "**", "//", "==", "!=", "<=", ">=", "<<",
      ">>",  "+=",  "-=",  "*=",  "/=",  "%=", "&=", "|=", "^=", "@=", "&&", "||"};
  std::vector<PythonToken> tokens;
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at;
      continue;
    }
    const auto rest = trim(text.substr(at + 1));
    if (c == '#' || (text.substr(at).starts_with("//") && !is_division(text, at))) break;
    if (c == ';' && (rest.empty() || rest.starts_with("//"))) break;
    auto end = at + 1;
    auto kind = PythonToken::Kind::mark;
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
        (c == '.' && end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0)) {
      kind = PythonToken::Kind::number;
      while (end < text.size() && (is_word(text[end]) || text[end] == '.' ||
                                   ((text[end] == '-' || text[end] == '+') && (text[end - 1] | 0x20) == 'e')))
        ++end;
    } else if (is_word(c)) {
      kind = PythonToken::Kind::name;
      while (end < text.size() &&
             (is_word(text[end]) || text.substr(end, 2) == "::" || text.substr(end - 1, 2) == "::"))
        ++end;
    } else if (c == '"' || c == '\'') {
      kind = PythonToken::Kind::string;
      while (end < text.size() && text[end] != c) end += text[end] == '\\' ? 2 : 1;
      if (end >= text.size()) return std::nullopt;
      ++end;
    } else if (const auto* mark = std::find_if(std::begin(kMarks), std::end(kMarks),
                                               [&](std::string_view one) { return text.substr(at).starts_with(one); });
               mark != std::end(kMarks)) {
      end = at + mark->size();
    } else if (std::string_view("+-*/%@&|^~<>()[]{},:.=!").find(c) == std::string_view::npos) {
      return std::nullopt;
    }
    tokens.push_back({kind, text.substr(at, end - at), at});
    at = end;
  }
  tokens.push_back({PythonToken::Kind::end, {}, at});
  return tokens;
}

}  // namespace xcuda::language
