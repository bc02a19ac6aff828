#include "cell/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace xcuda::cell {
namespace {

constexpr std::array<std::string_view, 63> kKeywords = {"alignas",
                                                        "alignof",
                                                        "asm",
                                                        "auto",
                                                        "bool",
                                                        "break",
                                                        "case",
                                                        "catch",
                                                        "char",
                                                        "class",
                                                        "concept",
                                                        "const",
                                                        "const_cast",
                                                        "consteval",
                                                        "constexpr",
                                                        "constinit",
                                                        "continue",
                                                        "decltype",
                                                        "default",
                                                        "delete",
                                                        "do",
                                                        "double",
                                                        "dynamic_cast",
                                                        "else",
                                                        "enum",
                                                        "explicit",
                                                        "extern",
                                                        "false",
                                                        "float",
                                                        "for",
                                                        "friend",
                                                        "goto",
                                                        "if",
                                                        "inline",
                                                        "int",
                                                        "long",
                                                        "namespace",
                                                        "new",
                                                        "nullptr",
                                                        "operator",
                                                        "reinterpret_cast",
                                                        "return",
                                                        "short",
                                                        "signed",
                                                        "sizeof",
                                                        "static",
                                                        "static_assert",
                                                        "static_cast",
                                                        "struct",
                                                        "switch",
                                                        "template",
                                                        "this",
                                                        "throw",
                                                        "true",
                                                        "try",
                                                        "typedef",
                                                        "typename",
                                                        "union",
                                                        "unsigned",
                                                        "using",
                                                        "void",
                                                        "volatile",
                                                        "while"};

bool meet(std::string_view left, std::string_view right) {
  const char a = left.back(), b = right.front();
  return (is_identifier_character(a) && (is_identifier_character(b) || b == '"')) ||
         (a == b && (a == '-' || a == '+' || a == '&'));
}

}  // namespace

bool is_keyword(std::string_view word) { return std::binary_search(kKeywords.begin(), kKeywords.end(), word); }

bool is_specifier(std::string_view word) {
  return word.size() > 4 && word.starts_with("__") && word.ends_with("__") &&
         std::none_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::string join(const std::vector<Token>& tokens) {
  std::string text;
  for (const auto& token : tokens) {
    if (!text.empty() && (text.back() == ',' || meet(text, token.text))) text.push_back(' ');
    text += token.text;
  }
  return text;
}

Parser::Parser(std::string_view text, std::string_view cell_name, Grammar grammar)
    : source_{std::string(cell_name), text},
      grammar_(grammar),
      lexer_(source_, failure_, {0, static_cast<std::uint32_t>(text.size())}),
      end_(static_cast<std::uint32_t>(text.size())) {}

Token Parser::peek(std::size_t ahead) {
  while (tokens_.size() <= position_ + ahead) {
    if (!tokens_.empty() && position_ < tokens_.size() && tokens_.back().kind == TokenKind::end) return tokens_.back();
    const bool failed_before = failed();
    const auto token = lexer_.next();
    if (token.kind == TokenKind::directive && choose_branch(token)) continue;
    if (replaced_ != Replaced::none && token.is_identifier() && replace_macro(token)) continue;
    // A member has a name of its own: p.size of template <int size>.
    const bool member =
        !tokens_.empty() && (tokens_.back().is(".") || tokens_.back().is("->") || tokens_.back().is("::"));
    const auto given = token.is_identifier() && !member ? given_.find(token.text) : given_.end();
    if (given == given_.end()) tokens_.push_back(token);
    if (given != given_.end())
      for (auto part : tokens_of(given->second)) {
        if (part.is("struct") && given->second.starts_with("struct std::")) continue;  // E("text"), throw E();
        part.span = token.span;
        part.line_start = false;
        tokens_.push_back(part);
      }
    // What was read ahead of the failure ends here, too: a loop up to the end sees it at once.
    if (failed() && !failed_before) fail({}, {});
  }
  return tokens_[position_ + ahead];
}

Token Parser::next() {
  const auto token = peek();
  if (token.kind != TokenKind::end) {
    ++position_;
    previous_end_ = token.span.end;
  }
  // '*'s of a type are counted because later readers, of the type in the compiler or of a mangled name, recurse.
  if (token.is("*"))
    ++pointers_;
  else if (!token.is("const"))
    pointers_ = 0;
  if (pointers_ > kMaxDepth) fail_too_deep(token.span);
  return token;
}

bool Parser::accept(std::string_view text) {
  if (!at(text)) return false;
  next();
  return true;
}

void Parser::drop_read_tokens() {
  if (position_ < 1024 && position_ != tokens_.size()) return;
  tokens_.erase(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(position_));
  position_ = 0;
}

void Parser::fail(Span span, std::string message, std::string advice, ErrorKind kind) {
  if (!failure_.error) {
    failure_.error = Error(kind, std::move(message)).at(source_.place(span)).advise(std::move(advice));
    failure_.at_end = false;
  }
  tokens_.clear();
  position_ = 0;
  lexer_.seek(end_);
}

void Parser::fail_expected(std::string_view what, std::string_view advice) {
  const auto found = peek();
  if (failed()) return fail({}, {});
  if (found.kind == TokenKind::end) {
    fail(after_previous(), fmt::format("expected {} at the end of the cell", what), std::string(advice));
    failure_.at_end = true;
  } else if (what == "';'") {
    fail(after_previous(), fmt::format("expected ';' before '{}'", found.text.substr(0, 40)), std::string(advice));
  } else {
    const auto line = found.text.substr(0, std::min<std::size_t>(40, found.text.find('\n')));
    fail(found.span, fmt::format("expected {}, not '{}'", what, line), std::string(advice));
  }
}

Token Parser::expect(std::string_view text, std::string_view where, std::string_view advice) {
  if (at(text)) return next();
  fail_expected(where.empty() ? fmt::format("'{}'", text) : fmt::format("'{}' {}", text, where), advice);
  return peek();
}

void Parser::expect_close(std::string_view close, const Token& open) {
  if (accept(close)) return;
  if (failed()) return fail({}, {});
  if (at_end()) {
    fail(open.span, fmt::format("this '{}' is not closed", open.text), fmt::format("Close it with '{}'", close));
    failure_.at_end = true;
    return;
  }
  const auto place = source_.place(open.span);
  fail_expected(fmt::format("'{}'", close),
                fmt::format("it closes the '{}' of line {}, column {}", open.text, place.line, place.column));
}

bool Parser::enter(Span span) {
  if (++depth_ <= kMaxDepth) return true;
  fail_too_deep(span);
  return false;
}

void Parser::fail_too_deep(Span span) {
  fail(span, fmt::format("nested deeper than {} levels", kMaxDepth), "Name the inner parts");
}

Place place_of(std::string_view text, Span span, std::string_view source_name) {
  return Source{std::string(source_name), text}.place(span);
}

ParseResult try_parse_cell(std::string_view text, std::string_view cell_name, Grammar grammar,
                           const LibraryScope& library) {
  return Parser(text, cell_name, grammar).cell_after(library);
}

ParseResult Parser::cell_after(const LibraryScope& library) {
  library_ = library;
  auto result = cell();
  if (!result.error) {
    check_jumps();
    result.error = std::move(failure_.error);
  }
  result.cell.library = std::move(library_);
  return result;
}

ParseResult try_parse_device_code(std::string_view text, std::string_view source_name) {
  return Parser(text, source_name).device_code();
}

Cell parse_cell(std::string_view text, std::string_view cell_name, Grammar grammar) {
  auto result = try_parse_cell(text, cell_name, grammar);
  if (result.error) throw std::move(*result.error);
  return std::move(result.cell);
}

ExpressionPtr parse_expression(std::string_view text, std::string_view source_name) {
  Parser parser(text, source_name);
  auto expression = parser.only_expression();
  if (parser.failure().error) throw std::move(*parser.failure().error);
  return expression;
}

ExpressionPtr try_parse_expression(std::string_view text) {
  Parser parser(text, {});
  auto expression = parser.only_expression();
  return parser.failure().error ? nullptr : std::move(expression);
}

}  // namespace xcuda::cell
