// Text to tokens of CUDA C++, on demand: the parser asks for one token at a time, because a magic's line is not made of
// tokens, and only the parser knows where one may be.
//
// '>' is always a token of its own, so that "A<B<int>>" and "k<<<g, f<int>>>>(x)" need no splitting; the parser joins
// neighbours into >>, >=, >>= and >>>. A preprocessor line, continuations included, is one token.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cell/tree.hpp"

namespace xcuda::cell {

enum class TokenKind : std::uint8_t { end, identifier, number, character, string, punctuator, directive };

struct Token {
  TokenKind kind = TokenKind::end;
  bool line_start = false;    // the first token of its line
  bool space_before = false;  // blanks, comments or newlines before it
  Span span;
  std::string_view text;

  bool is(std::string_view wanted) const {
    return (kind == TokenKind::punctuator || kind == TokenKind::identifier) && text == wanted;
  }
  bool is_identifier() const { return kind == TokenKind::identifier; }
};

// The first error of a text. Nothing here throws: is-complete and completion look at broken text all the time.
struct Failure {
  std::optional<Error> error;
  bool at_end = false;  // more text could mend it
};

// A text with its name, to make places of spans.
struct Source {
  std::string name;       // "In[7]"
  std::string_view text;  // which outlives this
  Place place(Span span) const;
};

class Lexer {
 public:
  // Lexes text[begin, end). Both the source and the failure outlive the lexer.
  Lexer(const Source& source, Failure& failure, Span range);

  Token next();                     // end from the first failure on
  void seek(std::uint32_t offset);  // to the start of a line or to the end of a magic's line
  std::uint32_t offset() const { return at_; }

 private:
  char at(std::uint32_t offset) const { return offset < end_ ? source_.text[offset] : '\0'; }
  bool skip_blanks(bool& line_start);                        // false after a failure
  std::uint32_t newline_length(std::uint32_t offset) const;  // of a backslash-newline at offset, or 0
  Token token(TokenKind kind, std::uint32_t begin);
  Token directive();
  void skip_disabled_lines();
  Token number();
  Token quoted(std::uint32_t begin);
  Token raw_string(std::uint32_t begin);
  Token punctuator();
  enum class Reach : std::uint8_t { inside, end };  // end: more text could mend it
  Token fail(Span span, std::string message, std::string advice, Reach reached = Reach::inside);

  const Source& source_;
  Failure& failure_;
  std::uint32_t at_, end_;
  bool line_start_ = true;
  bool space_before_ = false;
};

bool is_identifier_start(char c);
bool is_identifier_character(char c);

// Tokens of a piece of text that is known to be sound (it was lexed before); stops at the first failure.
std::vector<Token> tokens_of(std::string_view text);

// The name of a preprocessor line, "define", and what follows it, as written.
struct DirectiveText {
  std::string_view name, rest;
};
DirectiveText split_directive(std::string_view line);

// The value of a string or character literal's inside: escapes resolved. Nothing for a wrong escape.
std::optional<std::string> unescape(std::string_view inside);

}  // namespace xcuda::cell
