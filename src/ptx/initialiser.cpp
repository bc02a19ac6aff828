// Initial values of variables. A table of a random number generator is 1 MB of text, so lists of small decimal
// numbers are read without tokens.
#include <fmt/format.h>

#include <bit>

#include "ptx/reader.hpp"

namespace xcuda::ptx {
namespace {

void append(std::vector<std::byte>& bytes, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(i < 8 ? value >> (8 * i) : 0));
}

}  // namespace

// Reads "12, -3, 255," until something else comes. True when it read something.
bool Reader::read_plain_bytes(Variable& variable, std::uint64_t capacity) {
  const std::string_view text = lexer.text();
  const auto size = static_cast<std::size_t>(bytes_of(variable.type));
  std::size_t at = lexer.offset(), resume_at = at;
  std::uint32_t line = peek().line, resume_line = line;
  const auto skip = [&] {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r'))
      line += text[at++] == '\n';
  };
  while (variable.initial.size() + size <= capacity) {
    skip();
    const bool negative = at < text.size() && text[at] == '-';
    if (negative) ++at;
    const std::size_t first = at;
    std::uint64_t value = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9')
      value = value * 10 + static_cast<std::uint64_t>(text[at++] - '0');
    const std::size_t digits = at - first;
    if (digits == 0 || (digits > 1 && text[first] == '0')) break;  // no number, or octal
    skip();
    if (at >= text.size() || text[at] != ',') break;  // the last one, hexadecimal, a float: by tokens
    ++at;
    if (size == 1)
      variable.initial.push_back(static_cast<std::byte>(negative ? 0 - value : value));
    else
      append(variable.initial, negative ? 0 - value : value, size);
    resume_at = at;
    resume_line = line;
  }
  if (resume_at == lexer.offset()) return false;
  lexer.resume(resume_at, resume_line);
  return true;
}

// One value: a number, name, name + n, generic(name) + n, 0xFF00(name).
void Reader::read_element(Variable& variable, std::uint64_t capacity) {
  const auto size = static_cast<std::size_t>(bytes_of(variable.type));
  if (variable.initial.size() + size > capacity) fail(fmt::format("`{}` has too many initial values", variable.name));
  bool negative = false;
  while (peek().is('-') || peek().is('+')) negative ^= next().is('-');

  Relocation relocation;
  relocation.offset = variable.initial.size();
  relocation.size = static_cast<std::uint8_t>(size);
  const std::uint32_t line = peek().line;
  std::string_view symbol;
  if (peek().is_number()) {
    const Token number = next();
    if (number.kind == Token::Kind::integer && accept('(')) {
      if (number.bits == 0) fail("a mask is zero");
      relocation.shift = static_cast<std::uint8_t>(std::countr_zero(number.bits));
      symbol = expect_word("a name after a mask");
      if (symbol == "generic" && accept('(')) {
        relocation.generic = true;
        symbol = expect_word("a name");
        expect(')', "`generic(name`");
      }
      if (accept('+'))
        relocation.addend = static_cast<std::int64_t>(expect_integer("an offset"));
      else if (peek().is('-'))
        relocation.addend = static_cast<std::int64_t>(expect_integer("an offset"));
      expect(')', "a masked name");
    } else {
      std::uint64_t bits = number.bits;
      if (variable.type == Type::f32 && number.kind == Token::Kind::float64) {
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
      } else if (variable.type == Type::f64 && number.kind == Token::Kind::float32) {
        bits =
            std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
      }
      if (negative) {
        if (number.kind == Token::Kind::integer)
          bits = 0 - bits;
        else
          bits ^= std::uint64_t{1} << (8 * std::min<std::size_t>(size, 8) - 1);
      }
      append(variable.initial, bits, size);
      return;
    }
  } else {
    symbol = expect_word("an initial value");
    if (symbol == "generic" && accept('(')) {
      relocation.generic = true;
      symbol = expect_word("a name");
      expect(')', "`generic(name`");
    }
    if (accept('+') || peek().is('-')) relocation.addend = static_cast<std::int64_t>(expect_integer("an offset"));
  }
  append(variable.initial, 0, size);
  pending_relocations.push_back({{}, variable.relocations.size(), symbol, line});
  variable.relocations.push_back(relocation);
}

void Reader::read_initialiser(Variable& variable) {
  const auto size = static_cast<std::uint64_t>(bytes_of(variable.type));
  if (size == 0) {  // .texref t = {filter_mode = nearest, ...}
    if (unknown == Unknown::keep) {
      while (!peek().is(';') && peek().kind != Token::Kind::end) next();
      return;
    }
    fail(fmt::format("`{}` is initialised, but its type .{} cannot be", variable.name, text_of(variable.type)));
  }
  const std::uint64_t capacity = variable.unsized ? std::uint64_t{1} << 32 : variable.size;
  // A list is as long as its text at most, so that a false extent reserves nothing.
  variable.initial.reserve(std::min<std::uint64_t>(capacity, lexer.text().size() - lexer.offset()));
  if (!peek().is('{')) {
    read_element(variable, capacity);
  } else {
    int depth = 0;
    bool separated = true;  // a value or a list may be here
    do {
      if (peek().is('{')) {
        if (!separated) unexpected("`,` or `}`");
        next();
        ++depth;
      } else if (peek().is('}')) {
        next();
        --depth;
        separated = false;
      } else if (peek().is(',')) {
        if (separated) unexpected("an initial value");
        next();
        separated = true;
      } else {
        if (!separated) unexpected("`,` or `}`");
        if (read_plain_bytes(variable, capacity)) continue;  // after a comma again
        read_element(variable, capacity);
        separated = false;
      }
    } while (depth > 0);
  }
  variable.initial.shrink_to_fit();
  if (variable.unsized) variable.size = variable.initial.size();
}

}  // namespace xcuda::ptx
