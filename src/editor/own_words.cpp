#include "editor/own_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "base/text.hpp"
#include "editor/cursor_context.hpp"
#include "reference/builtins.hpp"

namespace xcuda::editor {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// What a declaration's words are, in one line.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : trim(text))
    if (std::isspace(static_cast<unsigned char>(c)) == 0)
      line += c;
    else if (!line.ends_with(' '))
      line += ' ';
  return line;
}

// The code around one word, which ends at `end`.
class Surroundings {
 public:
  Surroundings(std::string_view code, std::size_t begin, std::size_t end) : code_(code), begin_(begin), end_(end) {}

  bool is_member() const {
    const auto before = trim(code_.substr(begin_ > 2 ? begin_ - 2 : 0, std::min<std::size_t>(begin_, 2)));
    return before.ends_with('.') || before.ends_with("->");
  }

  OwnWord word() const {
    OwnWord word{std::string(code_.substr(begin_, end_ - begin_)), "variable", {}};
    const auto statement = this->statement();
    const auto before = trim(statement);
    const auto last = last_word(before);
    if (before == "#define") return {word.text, "macro", {}};
    for (const std::string_view keyword : {"struct", "class", "union", "enum"})
      if (last == keyword) return {word.text, "type", {}};
    if (before == "using" && next() == '=') return {word.text, "type", {}};
    if (last == "namespace") return {word.text, "namespace", {}};
    const bool declared =
        !before.empty() &&
        (is_word(before.back()) || before.ends_with('*') || before.ends_with('&') || before.ends_with('>')) &&
        !is_statement_word(last) && !is_digit(last.empty() ? 'a' : last.front()) &&
        before.find('=') == std::string_view::npos && !is_call(before);
    if (next() == '(') {
      const auto body = end_of_parameters();
      if (!declared) return {word.text, "function", {}};
      if (body > end_)
        return {word.text, before.find("__global__") != std::string_view::npos ? "kernel" : "function",
                one_line(code_.substr(begin_ - statement.size(), body - begin_ + statement.size()))};
    }
    if (declared) word.declaration = one_line(before) + " " + word.text;
    return word;
  }

 private:
  char next() const {
    const auto at = code_.find_first_not_of(" \n\t", end_);
    return at == std::string_view::npos ? '\0' : code_[at];
  }
  // What precedes the word in its statement or parameter list; at most so much that a long cell takes no long time.
  std::string_view statement() const {
    constexpr std::size_t kFarthest = 400;
    const auto from = begin_ > kFarthest ? begin_ - kFarthest : 0;
    const auto before = code_.substr(from, begin_ - from);
    // A parenthesis begins a parameter list; that of __launch_bounds__(256) is closed again.
    std::size_t begin = before.size();
    for (int depth = 0; begin > 0; --begin) {
      const char c = before[begin - 1];
      if (c == ')' || c == '>') ++depth;
      if (c == '<') --depth;
      if (c == '(' && depth-- == 0) break;
      if (depth <= 0 && std::string_view(";{},").find(c) != std::string_view::npos) break;
      if (c == '\n' && ends_directive(before.substr(0, begin - 1))) break;
    }
    return before.substr(begin);
  }
  // Whether the last line is one of the preprocessor's, or a command's.
  static bool ends_directive(std::string_view lines) {
    const auto newline = lines.rfind('\n');
    const auto line = trim(lines.substr(newline == std::string_view::npos ? 0 : newline));
    return line.starts_with('#') || line.starts_with('%');
  }
  static std::string_view last_word(std::string_view text) {
    auto begin = text.size();
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    return text.substr(begin);
  }
  // A parenthesis that is not that of __launch_bounds__(256).
  static bool is_call(std::string_view text) {
    const auto open = text.find('(');
    return open != std::string_view::npos && !text.substr(0, open).ends_with("__");
  }
  static bool is_statement_word(std::string_view word) {
    static constexpr std::array<std::string_view, 10> kWords = {"return", "else",  "case",      "goto", "new",
                                                                "delete", "using", "namespace", "do",   "throw"};
    return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
  }
  // Where the parameters of a function that has a body end; else the word's end.
  std::size_t end_of_parameters() const {
    const auto open = code_.find('(', end_);
    int depth = 0;
    for (auto at = open; at < code_.size(); ++at) {
      if (code_[at] == '(') ++depth;
      if (code_[at] == ';' || code_[at] == '{') break;
      if (code_[at] != ')' || --depth > 0) continue;
      const auto after = code_.find_first_not_of(" \n\t", at + 1);
      return after != std::string_view::npos && code_[after] == '{' ? at + 1 : end_;
    }
    return end_;
  }

  std::string_view code_;
  std::size_t begin_, end_;
};

}  // namespace

std::vector<OwnWord> own_words(std::string_view text, std::size_t cursor, std::string_view prefix,
                               const Interrupt* interrupt) {
  const auto code = without_literals(text);
  std::vector<OwnWord> words;
  std::map<std::string, std::size_t, std::less<>> places;  // in `words`
  for (std::size_t i = 0; i < code.size();) {
    if (!is_word(code[i])) {
      ++i;
      continue;
    }
    auto end = i;
    while (end < code.size() && is_word(code[end])) ++end;
    const auto begin = i;
    i = end;
    const auto word = std::string_view(code).substr(begin, end - begin);
    if ((begin <= cursor && cursor <= end) || word.size() < 2 || is_digit(word.front()) || !word.starts_with(prefix))
      continue;
    if (interrupt != nullptr) interrupt->check();
    const auto known = places.find(word);
    if (known != places.end() && !words[known->second].declaration.empty()) continue;
    const Surroundings around(code, begin, end);
    if (around.is_member() || reference::find_builtin(word) != nullptr) continue;
    auto found = around.word();
    if (known == places.end()) {
      places.emplace(found.text, words.size());
      words.push_back(std::move(found));
    } else if (!found.declaration.empty()) {
      words[known->second] = std::move(found);
    }
  }
  return words;
}

}  // namespace xcuda::editor
