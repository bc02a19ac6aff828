// The tokens of PTX, one at a time, without copies.
#pragma once

#include <cstdint>
#include <string_view>

#include "ptx/ptx_tree.hpp"

namespace xcuda::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    word,       // ld.global.f32, %tid.x, $L__BB0_2, foo: an identifier with all its dotted parts
    directive,  // .reg, .b32: without the dot
    integer,    // 12, 0x1F, 0b101, 017, each with or without U
    float32,    // 0f3F800000
    float64,    // 0d3FF0000000000000, 1.5, 2e3
    string,     // without the quotes
    mark,       // one character
  };
  Kind kind = Kind::end;
  char mark = 0;
  std::uint32_t line = 1;
  std::uint64_t bits = 0;  // of a number
  std::string_view text;   // in the source

  bool is(char c) const { return kind == Kind::mark && mark == c; }
  bool is_word() const { return kind == Kind::word; }
  bool is_directive(std::string_view name) const { return kind == Kind::directive && text == name; }
  bool is_number() const { return kind == Kind::integer || kind == Kind::float32 || kind == Kind::float64; }
};

// Never fails: whatever is not a token becomes a mark, which the parser reports as unexpected.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  const Token& peek() const { return token_; }
  Token next() {
    Token token = token_;
    advance();
    return token;
  }

  // For reading a list of numbers without tokens: the list begins after the token before peek(), and resume() goes on
  // with tokens at an offset. offset and line are those of peek().
  std::string_view text() const { return text_; }
  std::size_t offset() const { return begin_; }
  void resume(std::size_t offset, std::uint32_t line) {
    at_ = offset;
    line_ = line;
    advance();
  }
  std::size_t end_of_last() const { return last_end_; }  // of the token before peek()
  // Moves from peek(), which is in a block, to the token after the block's closing brace. False if it never closes.
  bool skip_block();

 private:
  void advance();
  void skip_blank();
  void read_number();
  void read_string();
  void read_word(std::size_t begin);

  std::string_view text_;
  std::size_t at_ = 0, begin_ = 0, last_end_ = 0;
  std::uint32_t line_ = 1;
  Token token_;
};

}  // namespace xcuda::ptx
