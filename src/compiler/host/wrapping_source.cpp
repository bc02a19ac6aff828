#include "compiler/host/wrapping_source.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "base/type.hpp"
#include "cell/lexer.hpp"

namespace xcuda::compiler {
namespace {

using cell::Token;
using cell::TokenKind;

template <std::size_t N> bool is_one_of(const Token& token, const std::string_view (&words)[N]) {
  return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) { return token.is(word); });
}

constexpr std::string_view kWrapping[] = {"+", "-", "*", "+=", "-=", "*="};
constexpr std::string_view kBeforeOperand[] = {"return", "case",   "else",    "do",       "throw",     "sizeof",  "new",
                                               "delete", "goto",   "and",     "or",       "not",       "xor",     "if",
                                               "while",  "switch", "alignas", "co_yield", "co_return", "typename"};
constexpr std::string_view kOfTypes[] = {
    "const",        "volatile", "unsigned",  "signed",     "struct",       "class",      "enum",        "union",
    "auto",         "static",   "constexpr", "extern",     "inline",       "register",   "typename",    "void",
    "__restrict__", "wchar_t",  "mutable",   "__shared__", "__constant__", "__device__", "__managed__", "restrict"};
constexpr std::string_view kControl[] = {"if", "while", "for", "switch"};

bool is_floating_literal(const Token& token) {
  if (token.kind != TokenKind::number) return false;
  const bool hexadecimal = token.text.starts_with("0x") || token.text.starts_with("0X");
  return token.text.find_first_of(hexadecimal ? ".pP" : ".eEfF") != std::string_view::npos;
}

// One pass over the tokens of a source, with the brackets that are open.
class Marking {
 public:
  enum class Of { file, body };
  Marking(std::string_view source, Of of)
      : source_(source), tokens_(cell::tokens_of(source)), partner_(tokens_.size(), 0), in_body_(of == Of::body) {
    pair_brackets();
    find_types();
    find_ends_of_do();
  }
  std::string text();

 private:
  // What a bracket that is open holds.
  enum class Holds { code, declarations, parameters, header, subscript };
  struct Open {
    Holds holds;
    int semicolons = 0;  // of a for's header
  };

  bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].is(text); }
  void pair_brackets();
  void find_types();
  void find_ends_of_do();
  bool is_type(const Token& token) const;
  Open opened(std::size_t i) const;
  bool opens_body(std::size_t brace) const;
  bool computes(std::size_t bracket) const;
  bool is_cast(std::size_t close) const;
  bool ends_operand(std::size_t i) const;
  bool begins_operand(std::size_t i) const;
  bool declares_pointer(std::size_t star) const;
  bool is_arithmetic(std::size_t i) const;
  bool is_loop(std::size_t i) const;

  std::string_view source_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> partner_;  // of each bracket; 0: none
  std::set<std::string_view> types_;
  std::set<std::size_t> ends_of_do_;  // the `while` of each
  std::vector<Open> open_;
  bool in_body_;
};

void Marking::pair_brackets() {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (is(i, "(") || is(i, "[") || is(i, "{")) open.push_back(i);
    if (!(is(i, ")") || is(i, "]") || is(i, "}")) || open.empty()) continue;
    partner_[i] = open.back();
    partner_[open.back()] = i;
    open.pop_back();
  }
}

// Those that the source names itself: struct S, typename T, using U = ..., typedef ... V;
void Marking::find_types() {
  static constexpr std::string_view kIntroducing[] = {"struct", "class", "union", "enum", "typename", "using"};
  for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
    if (is_one_of(tokens_[i], kIntroducing) && tokens_[i + 1].is_identifier()) types_.insert(tokens_[i + 1].text);
    if (!is(i, "typedef")) continue;
    while (i < tokens_.size() && !is(i, ";")) i = is(i, "{") && partner_[i] > i ? partner_[i] : i + 1;
    if (i > 0 && i < tokens_.size() && tokens_[i - 1].is_identifier()) types_.insert(tokens_[i - 1].text);
  }
}

void Marking::find_ends_of_do() {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (is(i, "do")) open.push_back(i);
    if (!is(i, "while") || open.empty() || !(is(i - 1, ";") || is(i - 1, "}"))) continue;
    const auto body = open.back() + 1;
    if (is(body, "{") && partner_[body] + 1 != i) continue;
    ends_of_do_.insert(i);
    open.pop_back();
  }
}

bool Marking::is_type(const Token& token) const {
  return token.is_identifier() && (types_.contains(token.text) || is_one_of(token, kOfTypes) ||
                                   token.text.ends_with("_t") || xcuda::find_type(token.text).has_value());
}

// { of a function, a lambda or a statement, and not that of a type, a namespace or a list.
bool Marking::opens_body(std::size_t brace) const {
  static constexpr std::string_view kOther[] = {"struct", "class", "union", "enum", "namespace", "extern"};
  for (std::size_t i = brace; i-- > 0;) {
    if (is(i, ";") || is(i, "{") || is(i, "}") || tokens_[i].kind == TokenKind::directive) break;
    if (is(i, ")") || is(i, "else") || is(i, "do") || is(i, "=")) return true;
    if (is_one_of(tokens_[i], kOther)) return false;
  }
  return !open_.empty() ? open_.back().holds != Holds::declarations : in_body_;
}

// Whether a subscript computes something of its sums and products. Without that, one that overflows is outside anyway,
// and the compiler may turn it into an address that it counts up.
bool Marking::computes(std::size_t bracket) const {
  static constexpr std::string_view kOfValues[] = {"%", "/", "&", "|", "^", ">", "<", "?", "<<", "(", "~"};
  for (std::size_t i = bracket + 1; i < partner_[bracket]; ++i)
    if (is_one_of(tokens_[i], kOfValues) && !(is(i, "(") && !ends_operand(i - 1))) return true;
  return false;
}

Marking::Open Marking::opened(std::size_t i) const {
  const bool of_code = open_.empty() ? in_body_ : open_.back().holds != Holds::declarations;
  if (is(i, "{")) return {opens_body(i) ? Holds::code : Holds::declarations};
  if (!of_code) return {Holds::declarations};
  if (is(i, "(") && i > 0 && is(i - 1, "for")) return {Holds::header};
  if (is(i, "(") && i > 0 && is(i - 1, "]")) return {Holds::parameters};  // of a lambda
  if (is(i, "[") && !computes(i)) return {Holds::subscript};
  if (!open_.empty() && open_.back().holds == Holds::subscript) return {Holds::subscript};
  return {Holds::code};
}

// (float) x, (const T*)p: what is in parentheses is a type.
bool Marking::is_cast(std::size_t close) const {
  const auto open = partner_[close];
  if (close == 0 || !is(open, "(") || close == open + 1) return false;
  if (open > 0 && (ends_operand(open - 1) || is(open - 1, "sizeof") || is_type(tokens_[open - 1]))) return false;
  return is_type(tokens_[open + 1]) || is(close - 1, "*") || is(close - 1, "&");
}

bool Marking::ends_operand(std::size_t i) const {
  const auto& token = tokens_[i];
  switch (token.kind) {
    case TokenKind::number:
    case TokenKind::character: return true;
    case TokenKind::identifier: return !is_one_of(token, kBeforeOperand) && !token.is("operator") && !is_type(token);
    case TokenKind::punctuator: break;
    default: return false;
  }
  if (token.is("]")) return true;
  if (token.is("++") || token.is("--")) return i > 0 && ends_operand(i - 1);
  if (!token.is(")") || partner_[i] >= i) return false;
  const auto open = partner_[i];
  return !(open > 0 && is_one_of(tokens_[open - 1], kControl)) && !is_cast(i);
}

// Not the end of a type, (T*), T**, <T* const>.
bool Marking::begins_operand(std::size_t i) const {
  while (is(i, "*") || is(i, "&") || is(i, "const")) ++i;
  if (i >= tokens_.size()) return false;
  static constexpr std::string_view kUnary[] = {"(", "-", "+", "!", "~", "++", "--", "::"};
  return tokens_[i].kind == TokenKind::number || tokens_[i].kind == TokenKind::character ||
         tokens_[i].is_identifier() || is_one_of(tokens_[i], kUnary);
}

// T* p, const a::T* p: a name at the beginning of a statement or a parameter, or after another name.
bool Marking::declares_pointer(std::size_t star) const {
  if (!tokens_[star - 1].is_identifier()) return false;
  auto begin = star - 1;
  while (begin >= 2 && is(begin - 1, "::") && tokens_[begin - 2].is_identifier()) begin -= 2;
  if (begin > 0 && is(begin - 1, "::")) --begin;
  if (begin == 0) return false;
  const auto& before = tokens_[begin - 1];
  if (before.is(";")) return open_.empty() || open_.back().holds != Holds::header;
  if (before.is("{") || before.is("}")) return true;
  if (before.is_identifier()) return !is_one_of(before, kBeforeOperand);
  return before.is("(") && begin >= 2 && is_one_of(tokens_[begin - 2], kControl) && tokens_[star + 1].is_identifier() &&
         (is(star + 2, "=") || is(star + 2, ":"));
}

bool Marking::is_arithmetic(std::size_t i) const {
  if (!is_one_of(tokens_[i], kWrapping) || i == 0 || i + 1 >= tokens_.size()) return false;
  const auto holds = open_.empty() ? (in_body_ ? Holds::code : Holds::declarations) : open_.back().holds;
  if (holds == Holds::declarations || holds == Holds::parameters || holds == Holds::subscript) return false;
  const bool assigns = tokens_[i].text.size() == 2;
  if (assigns && holds == Holds::header && open_.back().semicolons == 2) return false;
  const auto &left = tokens_[i - 1], &right = tokens_[i + 1];
  if (is_floating_literal(left) || is_floating_literal(right)) return false;
  if (left.kind == TokenKind::number && right.kind == TokenKind::number) return false;
  return ends_operand(i - 1) && begins_operand(i + 1) && !(is(i, "*") && declares_pointer(i));
}

// One that the program says nothing else of.
bool Marking::is_loop(std::size_t i) const {
  if (!(is(i, "for") || (is(i, "while") && !ends_of_do_.contains(i)) || is(i, "do"))) return false;
  if (open_.empty() ? !in_body_ : open_.back().holds != Holds::code) return false;
  return i == 0 || tokens_[i - 1].kind != TokenKind::directive ||
         tokens_[i - 1].text.find("pragma") == std::string_view::npos;
}

// A macro's own arithmetic is that of what it is put into.
std::string of_directive(std::string_view directive) {
  const auto line = cell::split_directive(directive);
  if (line.name != "define") return std::string(directive);
  const auto name = line.rest.find_first_not_of(" \t");
  if (name == std::string_view::npos) return std::string(directive);
  auto body = name;
  while (body < line.rest.size() && cell::is_identifier_character(line.rest[body])) ++body;
  if (body < line.rest.size() && line.rest[body] == '(') body = std::min(line.rest.find(')', body), line.rest.size());
  const auto head = static_cast<std::size_t>(line.rest.data() - directive.data()) + body;
  return std::string(directive.substr(0, head)) + Marking(directive.substr(head), Marking::Of::body).text();
}

std::string Marking::text() {
  std::string text;
  std::size_t from = 0;
  const auto take_to = [&](std::size_t end) {
    text += source_.substr(from, end - from);
    from = end;
  };
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i].kind == TokenKind::directive) {
      take_to(tokens_[i].span.begin);
      text += of_directive(tokens_[i].text);
      from = tokens_[i].span.end;
    } else if (is(i, "(") || is(i, "[") || is(i, "{")) {
      open_.push_back(opened(i));
    } else if (is(i, ")") || is(i, "]") || is(i, "}")) {
      if (!open_.empty()) open_.pop_back();
    } else if (is(i, ";") && !open_.empty()) {
      ++open_.back().semicolons;
    } else if (is_loop(i)) {
      take_to(tokens_[i].span.begin);
      (text += kLoopMark) += ' ';
    } else if (is_arithmetic(i)) {
      take_to(tokens_[i].span.end);
      (text += kWrapMark) += tokens_[i].text;
    }
  }
  take_to(source_.size());
  return text;
}

}  // namespace

std::string with_wrapping_arithmetic(std::string_view source) {
  const auto text = Marking(source, Marking::Of::file).text();
  return text.find(kWrapMark) == std::string::npos ? text : "#include <xcuda/wrapping.cuh>\n" + text;
}

}  // namespace xcuda::compiler
