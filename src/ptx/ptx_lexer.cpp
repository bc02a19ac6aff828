#include "ptx/ptx_lexer.hpp"

#include <array>
#include <bit>
#include <cstdlib>
#include <string>

namespace xcuda::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
// % begins the next word: mov.u32%r1, %laneid;
bool is_word_part(char c) { return c != '%' && (is_word_start(c) || is_digit(c)); }

// Where a text without tokens has to be looked at: braces, comments, strings, lines.
constexpr auto kStops = [] {
  std::array<bool, 256> stops{};
  for (const unsigned char c : {'{', '}', '/', '"', '\n'}) stops[c] = true;
  return stops;
}();

// -1 when it is not a hexadecimal digit.
int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void Lexer::skip_blank() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++at_;
    } else if (c == '/' && text_.substr(at_, 2) == "//") {
      const std::size_t end = text_.find('\n', at_);
      at_ = end == text_.npos ? text_.size() : end;
    } else if (c == '/' && text_.substr(at_, 2) == "/*") {
      const std::size_t end = text_.find("*/", at_ + 2);
      const std::size_t stop = end == text_.npos ? text_.size() : end + 2;
      for (; at_ < stop; ++at_) line_ += text_[at_] == '\n';
    } else {
      return;
    }
  }
}

void Lexer::read_word(std::size_t begin) {
  ++at_;
  while (at_ < text_.size()) {
    if (is_word_part(text_[at_])) {
      ++at_;
    } else if (text_[at_] == '.' && at_ + 1 < text_.size() && is_word_part(text_[at_ + 1])) {
      ++at_;
    } else if (text_.substr(at_, 2) == "::" && at_ + 2 < text_.size() && is_word_part(text_[at_ + 2])) {
      at_ += 2;
    } else {
      break;
    }
  }
  token_.text = text_.substr(begin, at_ - begin);
}

void Lexer::read_number() {
  const std::size_t begin = at_;
  const auto at = [&](std::size_t i) { return begin + i < text_.size() ? text_[begin + i] : '\0'; };
  token_.kind = Token::Kind::integer;
  std::uint64_t bits = 0;
  const char second = static_cast<char>(at(1) | 0x20);
  const auto hex_digits = [&](std::size_t first, std::size_t limit) {
    std::size_t count = 0;
    while (count < limit && hex_value(at(first + count)) >= 0) {
      bits = bits << 4 | static_cast<std::uint64_t>(hex_value(at(first + count)));
      ++count;
    }
    at_ = begin + first + count;
    return count;
  };
  if (at(0) == '0' && second == 'x') {
    hex_digits(2, text_.size());
  } else if (at(0) == '0' && second == 'f') {
    token_.kind = Token::Kind::float32;
    if (hex_digits(2, 8) != 8) token_.kind = Token::Kind::mark;
  } else if (at(0) == '0' && second == 'd') {
    token_.kind = Token::Kind::float64;
    if (hex_digits(2, 16) != 16) token_.kind = Token::Kind::mark;
  } else if (at(0) == '0' && second == 'b' && (at(2) == '0' || at(2) == '1')) {
    at_ += 2;
    while (at_ < text_.size() && (text_[at_] == '0' || text_[at_] == '1'))
      bits = bits << 1 | static_cast<std::uint64_t>(text_[at_++] - '0');
  } else {
    const std::uint64_t base = at(0) == '0' ? 8 : 10;
    std::uint64_t decimal = 0;
    while (at_ < text_.size() && is_digit(text_[at_])) {
      const auto digit = static_cast<std::uint64_t>(text_[at_++] - '0');
      bits = bits * base + digit;
      decimal = decimal * 10 + digit;
    }
    const bool point = at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1]);
    const bool exponent = at_ + 1 < text_.size() && (text_[at_] | 0x20) == 'e';
    if (point || exponent) {
      // At most 64 characters are a number; strtod wants a terminated string.
      const std::string spelled(text_.substr(begin, 64));
      char* end = nullptr;
      bits = std::bit_cast<std::uint64_t>(std::strtod(spelled.c_str(), &end));
      at_ = begin + static_cast<std::size_t>(end - spelled.c_str());
      token_.kind = Token::Kind::float64;
    }
  }
  if (token_.kind == Token::Kind::integer && at_ < text_.size() && (text_[at_] == 'U' || text_[at_] == 'u')) ++at_;
  token_.bits = bits;
  token_.text = text_.substr(begin, at_ - begin);
  if (token_.kind == Token::Kind::mark) token_.mark = at(0);
}

bool Lexer::skip_block() {
  at_ = begin_;
  line_ = token_.line;
  int depth = 1;
  while (depth > 0) {
    while (at_ < text_.size() && !kStops[static_cast<unsigned char>(text_[at_])]) ++at_;
    if (at_ == text_.size()) break;
    const char c = text_[at_];
    if (c == '{' || c == '}') {
      ++at_;
      depth += c == '{' ? 1 : -1;
    } else if (c == '"') {
      read_string();
    } else {
      const std::size_t before = at_;
      skip_blank();
      if (at_ == before) ++at_;  // a slash by itself
    }
  }
  advance();
  return depth == 0;
}

void Lexer::read_string() {
  const std::size_t end = text_.find('"', at_ + 1);
  const std::size_t stop = end == text_.npos ? text_.size() : end;
  token_.text = text_.substr(at_ + 1, stop - at_ - 1);
  for (const char c : token_.text) line_ += c == '\n';
  at_ = end == text_.npos ? stop : stop + 1;
}

void Lexer::advance() {
  last_end_ = at_;
  skip_blank();
  begin_ = at_;
  token_ = {};
  token_.line = line_;
  if (at_ >= text_.size()) return;
  const char c = text_[at_];
  if (is_word_start(c)) {
    token_.kind = Token::Kind::word;
    read_word(at_);
  } else if (is_digit(c)) {
    read_number();
  } else if (c == '.' && at_ + 1 < text_.size() && is_word_part(text_[at_ + 1])) {
    token_.kind = Token::Kind::directive;
    const std::size_t begin = ++at_;
    while (at_ < text_.size()) {
      if (is_word_part(text_[at_]))
        ++at_;
      else if (text_.substr(at_, 2) == "::")
        at_ += 2;
      else
        break;
    }
    token_.text = text_.substr(begin, at_ - begin);
  } else if (c == '"') {
    token_.kind = Token::Kind::string;
    read_string();
  } else {
    token_.kind = Token::Kind::mark;
    token_.mark = c;
    token_.text = text_.substr(at_, 1);
    ++at_;
  }
}

}  // namespace xcuda::ptx
