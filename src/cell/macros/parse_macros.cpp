// Macros that are no expressions, in statements and in functions: heads of loops, types, names, several statements.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "cell/declared.hpp"
#include "cell/macro.hpp"
#include "cell/parser.hpp"
#include "cell/type_word.hpp"

namespace xcuda::cell {
namespace {

constexpr int kMostRounds = 256;              // of replacing, since what replaces a macro may call others
constexpr std::size_t kMostText = 1u << 20u;  // characters of a cell with its macros replaced

// Words and operators that come before an operand.
bool awaits_operand(const Token& token) {
  static constexpr std::string_view kBefore[] = {"return", "new", "delete", "throw",  "sizeof", "not",   "and",
                                                 "or",     "xor", "compl",  "bitand", "bitor",  "not_eq"};
  return token.kind == TokenKind::punctuator ? !token.is(")") && !token.is("]") && !token.is("}")
                                             : among(token.text, kBefore);
}

// The text in one line, without comments.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const auto& token : tokens_of(text)) {
    if (token.space_before && !line.empty()) line += ' ';
    line += token.text;
  }
  return line;
}

// Names that #undef has: what they mean depends on where they are.
std::set<std::string, std::less<>> undefined_names(std::string_view text) {
  std::set<std::string, std::less<>> names;
  for (const auto line : split_lines(text))
    if (const auto directive = trim(line); directive.starts_with('#'))
      if (const auto parts = split_directive(directive); parts.name == "undef")
        names.emplace(without_comments(parts.rest));
  return names;
}

bool is_one_name(const std::vector<Token>& tokens) {
  return tokens.size() == 1 && tokens[0].is_identifier() && !tokens[0].is("true") && !tokens[0].is("false") &&
         !tokens[0].is("nullptr");
}

// A call or a change, which takes place at each use: the value of a macro without parameters is computed once.
bool acts(const std::vector<Token>& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool call = i > 0 && tokens[i].is("(") && tokens[i - 1].is_identifier();
    if (call || tokens[i].is("++") || tokens[i].is("--") || tokens[i].is("=")) return true;
  }
  return false;
}

// std::vector<int>, and not std::is_same_v<A, B>
bool names_library_type(const Expression& expression) {
  const auto* name = std::get_if<Name>(&expression.node);
  return name != nullptr && name->text.starts_with("std::") && name->text.ends_with('>') &&
         name->text.find("_v<") == std::string::npos;
}

// What cannot begin or be among device code at the top level of a cell.
bool are_statements(const std::vector<Token>& tokens) {
  static constexpr std::string_view kFirst[] = {"for", "while", "if", "do", "switch", "else", "{", "}", "return"};
  if (!tokens.empty() && among(tokens[0].text, kFirst)) return true;
  const bool several = std::any_of(tokens.begin(), tokens.end(), [](const Token& token) { return token.is(";"); });
  return several && std::none_of(tokens.begin(), tokens.end(), [](const Token& token) {
           return token.is_identifier() && (is_specifier(token.text) || token.is("template") || token.is("struct") ||
                                            token.is("class") || token.is("constexpr") || token.is("using"));
         });
}

}  // namespace

// What the macro becomes where it is called, nothing where it stays; `ends`: a ';' follows.
std::string Parser::replacement_of(const Token& name, Span& call, bool& ends) {
  const auto* macro = library_.function_macro(name.text);
  auto lexer = lexer_;
  call = name.span;
  std::string text;
  auto end = call.end;
  if (macro == nullptr) {
    text = library_.macros().find(name.text)->second;
  } else {
    int depth = 0;
    do {
      const auto token = lexer.next();
      if (token.kind == TokenKind::end || token.kind == TokenKind::directive) return {};
      if (depth == 0 && !token.is("(")) return {};
      if (token.is("(")) ++depth;
      if (token.is(")")) --depth;
      end = token.span.end;
    } while (depth > 0);
    call.end = end;
    text = std::string(this->text(call));
  }
  ends = lexer.next().is(";");
  const auto macros = [&](std::string_view one) {
    const auto* found = library_.function_macro(one);
    return found == nullptr ? std::nullopt : std::optional(*found);
  };
  return in_one_line(expand_macros(text, macros, [&](std::string_view one) { return library_.constant_macro(one); }));
}

bool Parser::begins_statement() const {
  if (tokens_.empty() || tokens_.back().kind == TokenKind::directive) return true;
  static constexpr std::string_view kBefore[] = {";", "{", "}", ")", "else", "do", ":"};
  return among(tokens_.back().text, kBefore);
}

bool Parser::replace_macro(const Token& name) {
  if (!library_.macros().contains(name.text)) return false;
  Span call;
  bool ends = false;
  std::string text;
  try {
    text = replacement_of(name, call, ends);
  } catch (const Error&) {  // too long; where it is called as an expression, that is said
    return false;
  }
  const auto tokens = tokens_of(text);
  const bool with_parameters = library_.function_macro(name.text) != nullptr;
  const bool itself = std::any_of(tokens.begin(), tokens.end(), [&](const Token& one) { return one.is(name.text); });
  if (itself || (with_parameters && call == name.span)) return false;
  const bool statements = are_statements(tokens);
  if (replaced_ == Replaced::statements && !statements) return false;
  if (statements && !begins_statement() && !tokens[0].is("{") && !tokens[0].is("}")) return false;  // int k = DO(x);
  const bool texts = !tokens.empty() && std::all_of(tokens.begin(), tokens.end(),
                                                    [](const Token& one) { return one.kind == TokenKind::string; });
  if (!redefined_.contains(name.text) && !is_one_name(tokens) && !texts && (with_parameters || !acts(tokens))) {
    if (with_parameters && ends && begins_statement()) return false;  // a statement of its own
    const auto value = tokens.empty() ? nullptr : try_parse_expression(text);
    if (value != nullptr && !names_library_type(*value)) return false;
  }
  const auto& made = made_.emplace_back(text);
  for (auto token : tokens_of(made)) {
    token.span = call;
    token.line_start = false;
    tokens_.push_back(token);
  }
  const auto lines = std::count(source_.text.begin() + call.begin, source_.text.begin() + call.end, '\n');
  replacements_.insert_or_assign(call.begin,
                                 std::pair(call.end, text + std::string(static_cast<std::size_t>(lines), '\n')));
  lexer_.seek(call.end);
  return true;
}

// A statement of the top level begins: what was read to find that out is read again.
void Parser::replace_in_statement() {
  replaced_ = Replaced::all;
  const auto first = peek();
  move_types(first.span.begin);
  if (first.kind == TokenKind::end || replacements_.contains(first.span.begin)) return;
  tokens_.clear();
  position_ = 0;
  lexer_.seek(first.span.begin);
}

// int; float*; a b; int z = 3; printf("x"): commas in parentheses, brackets and braces belong to it.
std::size_t Parser::text_argument() {
  int depth = 0;
  bool is_text = false;
  std::size_t i = 0;
  for (;; ++i) {
    const auto token = peek(i);
    if (token.kind == TokenKind::end || token.kind == TokenKind::directive) return 0;
    if (depth == 0 && (token.is(",") || token.is(")"))) break;
    if (token.is("(") || token.is("[") || token.is("{")) ++depth;
    if (token.is(")") || token.is("]") || token.is("}")) --depth;
    if (depth > 0) continue;
    const auto after = peek(i + 1);
    const bool closes = after.is(",") || after.is(")");
    const bool operand = token.is_identifier() || token.kind == TokenKind::number || token.kind == TokenKind::string;
    const bool another = (after.is_identifier() && !awaits_operand(after)) || after.kind == TokenKind::number ||
                         (after.kind == TokenKind::string && token.kind != TokenKind::string);
    if (token.is(";") && !(closes && after.is(")"))) is_text = true;
    if (is_type_word(token.text) && !after.is("(") && !after.is("{")) is_text = true;
    if (token.is_identifier() && is_keyword(token.text) && !awaits_operand(token) && closes) is_text = true;
    if (operand && another && !awaits_operand(token) && !token.text.ends_with("_cast")) is_text = true;
    if (token.kind == TokenKind::punctuator && awaits_operand(token) && closes && !token.is("++") && !token.is("--") &&
        !token.is(";"))
      is_text = true;
  }
  const auto first = peek();
  static constexpr std::string_view kPrefix[] = {"-", "+", "!", "~", "*", "&", "(", "[", "{", "++", "--", "::"};
  if (i > 0 && first.kind == TokenKind::punctuator && !among(first.text, kPrefix)) is_text = true;
  return is_text ? i : 0;
}

std::string Parser::replaced_text(const LibraryScope& library) {
  library_ = library;
  replaced_ = Replaced::statements;
  redefined_ = undefined_names(source_.text);
  cell();
  if (cell_.magic && cell_.magic->takes == MagicText::words) return std::string(source_.text);  // a program, a script
  for (auto& [begin, types] : moved_) {  // in front of what replaces a macro there
    auto& [end, text] = replacements_.try_emplace(begin, begin, std::string()).first->second;
    text.insert(0, types);
  }
  std::string text;
  std::uint32_t done = 0;
  for (const auto& [begin, replacement] : replacements_) {
    if (begin < done) continue;
    text += source_.text.substr(done, begin - done);
    text += replacement.second;
    done = replacement.first;
  }
  return text += source_.text.substr(done);
}

std::string with_replacements(std::string_view text, std::string_view cell_name, Grammar grammar,
                              const LibraryScope& library) {
  std::string result(text);
  static constexpr std::string_view kWords[] = {"#define", "struct", "class",   "union",
                                                "enum",    "using",  "typedef", "namespace"};
  const bool some = std::any_of(std::begin(kWords), std::end(kWords),
                                [&](std::string_view word) { return text.find(word) != text.npos; });
  if (library.macros().empty() && !some) return result;
  for (int round = 0; round < kMostRounds; ++round) {
    auto replaced = Parser(result, cell_name, grammar).replaced_text(library);
    if (replaced == result) return result;
    if (replaced.size() > kMostText) break;
    result = std::move(replaced);
  }
  return std::string(text);  // macros that call each other without an end
}

}  // namespace xcuda::cell
