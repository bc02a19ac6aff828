#include "ptx/reader.hpp"

#include <fmt/format.h>

#include <bit>

#include "base/text.hpp"
#include "ptx/source_places.hpp"

namespace xcuda::ptx {
namespace {

constexpr std::uint64_t kVariableLimit = std::uint64_t{1} << 40;  // bytes
constexpr std::uint64_t kParameterLimit = 1 << 20;                // bytes

// Compilers write `.file` at the end, so an error has to look ahead.
std::string file_of(std::string_view text, Index number) {
  for (std::size_t at = text.find(".file"); at != text.npos; at = text.find(".file", at + 5)) {
    Lexer lexer(text.substr(at, 4096));
    lexer.next();
    if (lexer.peek().kind != Token::Kind::integer || lexer.next().bits != number) continue;
    if (lexer.peek().kind == Token::Kind::string) return source_name(lexer.peek().text);
  }
  return {};
}

std::string shown(const Token& token) {
  switch (token.kind) {
    case Token::Kind::end: return "the end of the text";
    case Token::Kind::directive: return fmt::format("`.{}`", token.text.substr(0, 80));
    case Token::Kind::string: return "a string";
    default: return fmt::format("`{}`", token.text.substr(0, 80));
  }
}

}  // namespace

bool Reader::accept(char mark) {
  if (!peek().is(mark)) return false;
  next();
  return true;
}

bool Reader::accept_directive(std::string_view directive) {
  if (!peek().is_directive(directive)) return false;
  next();
  return true;
}

void Reader::expect(char mark, std::string_view after) {
  if (!accept(mark)) unexpected(fmt::format("`{}` after {}", mark, after));
}

std::string_view Reader::expect_word(std::string_view what) {
  if (!peek().is_word()) unexpected(what);
  return next().text;
}

void Reader::skip_block() {
  if (!lexer.skip_block()) unexpected("`}`");
}

std::uint64_t Reader::expect_integer(std::string_view what, std::uint64_t limit) {
  bool negative = false, inverted = false;
  while (peek().is('-') || peek().is('+') || peek().is('~')) {
    const char sign = next().mark;
    if (sign == '-') negative = !negative;
    if (sign == '~') inverted = !inverted;
  }
  if (peek().kind != Token::Kind::integer) unexpected(what);
  std::uint64_t value = peek().bits;
  if (inverted) value = ~value;
  if (negative) value = 0 - value;
  if (value > limit) fail(fmt::format("{} is {}, but at most {} is allowed", what, value, limit));
  next();
  return value;
}

void Reader::skip_to_semicolon() {
  while (!peek().is(';')) {
    if (peek().kind == Token::Kind::end) unexpected("`;`");
    next();
  }
  next();
}

void Reader::fail(std::string message, std::uint32_t line) const {
  if (line == 0) line = peek().line;
  std::string where = function.empty() ? std::string() : fmt::format(", in `{}`", function);
  Error error(ErrorKind::compile, fmt::format("{}: {} (line {} of the PTX{})", name_, message, line, where));
  error.library =
      fmt::format("PTX line {}: {}", line, trim(line_text(lexer.text(), static_cast<int>(line))).substr(0, 200));
  if (!function.empty()) error.advice = "A GPU's driver may support it: %device lists the devices.";
  for (Index at = location; at != kNoIndex; at = module.locations[at].inlined_at) {
    const Location& loc = module.locations[at];
    Place place;
    place.source = file_of(lexer.text(), loc.file);
    place.line = loc.line;
    place.column = loc.column;
    if (place.line > 0) error.place = place;  // the outermost one is in the cell
  }
  throw error;
}

void Reader::unexpected(std::string_view wanted) const {
  fail(fmt::format("expected {}, found {}", wanted, shown(peek())));
}

Index Reader::function_named(const Token& token) const {
  if (token.is_word()) {
    const auto found = symbols.find(token.text);
    if (found != symbols.end() && found->second.kind == SymbolKind::function) return found->second.index;
  }
  fail(fmt::format("function `{}` is not declared", token.text), token.line);
}

// .loc file line column [, function_name label [+ n], inlined_at file line column]
void Reader::read_location() {
  const auto read_place = [&](Location& loc) {
    loc.file = static_cast<Index>(expect_integer("the file of `.loc`", 1 << 24));
    loc.line = static_cast<int>(expect_integer("the line of `.loc`", 1 << 30));
    loc.column = static_cast<int>(expect_integer("the column of `.loc`", 1 << 30));
  };
  const auto key = [](const Location& loc) {
    return std::uint64_t{loc.file} << 48 ^ static_cast<std::uint64_t>(loc.line) << 20 ^
           static_cast<std::uint64_t>(loc.column);
  };
  Location loc;
  read_place(loc);
  while (accept(',')) {
    const std::string_view attribute = expect_word("an attribute of `.loc`");
    if (attribute == "function_name") {
      const std::string_view label = expect_word("the label of a name");
      if (accept('+')) expect_integer("an offset");
      const auto [found, added] = info_strings.try_emplace(label, static_cast<Index>(module.strings.size()));
      if (added) module.strings.emplace_back();
      loc.function = found->second;
    } else if (attribute == "inlined_at") {
      Location outer;
      read_place(outer);
      const auto found = last_location_.find(key(outer));
      const bool same = found != last_location_.end() && module.locations[found->second].file == outer.file &&
                        module.locations[found->second].line == outer.line &&
                        module.locations[found->second].column == outer.column;
      if (same) {
        loc.inlined_at = found->second;
      } else {
        loc.inlined_at = static_cast<Index>(module.locations.size());
        module.locations.push_back(outer);
      }
    } else {
      fail(fmt::format("`.loc` has an unknown attribute `{}`", attribute));
    }
  }
  location = static_cast<Index>(module.locations.size());
  module.locations.push_back(loc);
  last_location_[key(loc)] = location;
}

Type Reader::expect_type(std::string_view what) {
  if (peek().kind != Token::Kind::directive) unexpected(fmt::format("the type of {}", what));
  const std::optional<Type> type = find_type(peek().text);
  if (!type) unexpected(fmt::format("the type of {}", what));
  next();
  return *type;
}

std::uint32_t Reader::expect_alignment() {
  const std::uint64_t alignment = expect_integer("an alignment", 1 << 20);
  if (!std::has_single_bit(alignment)) fail(fmt::format("alignment {} is not a power of two", alignment));
  return static_cast<std::uint32_t>(alignment);
}

// [4][8] -> 32. `[]` is unsized.
std::uint64_t Reader::read_extents(bool& array, bool& unsized) {
  std::uint64_t count = 1;
  while (accept('[')) {
    array = true;
    if (peek().is(']')) {
      unsized = true;
    } else {
      const std::uint64_t extent = expect_integer("an extent", kVariableLimit);
      if (extent != 0 && count > kVariableLimit / extent) fail("the array is too large");
      count *= extent;
    }
    expect(']', "an extent");
  }
  return count;
}

Parameter Reader::read_parameter() {
  Parameter parameter;
  std::uint32_t alignment = 0;
  if (accept_directive("align")) alignment = expect_alignment();
  parameter.type = expect_type("a parameter");
  if (accept_directive("ptr")) {  // what the pointer points to: .ptr .global .align 4
    while (peek().kind == Token::Kind::directive) {
      if (accept_directive("align"))
        expect_alignment();
      else
        next();
    }
  }
  parameter.name = expect_word("the name of a parameter");
  bool unsized = false;
  std::uint64_t count = read_extents(parameter.array, unsized);
  if (unsized) count = 0;
  const std::uint64_t bytes = std::uint64_t(std::max(bytes_of(parameter.type), 0));
  const std::uint64_t element = bytes ? bytes : 8;  // a texture is its handle
  if (count > kParameterLimit / element) fail(fmt::format("parameter `{}` is too large", parameter.name));
  parameter.size = static_cast<std::uint32_t>(element * count);
  parameter.alignment = alignment ? alignment : static_cast<std::uint32_t>(element);
  return parameter;
}

Variable Reader::read_variable(Space space, Linkage linkage) {
  Variable variable;
  variable.space = space;
  variable.linkage = linkage;
  variable.line = peek().line;
  std::uint32_t alignment = 0;
  std::uint64_t lanes = 1;
  while (peek().kind == Token::Kind::directive && !find_type(peek().text)) {
    if (accept_directive("align")) {
      alignment = expect_alignment();
    } else if (accept_directive("attribute")) {
      expect('(', "`.attribute`");
      while (!accept(')')) {
        if (peek().kind == Token::Kind::end) unexpected("`)`");
        variable.managed |= next().text == "managed";
      }
    } else if (accept_directive("v2")) {
      lanes = 2;
    } else if (accept_directive("v4")) {
      lanes = 4;
    } else {
      unexpected("the type of a variable");
    }
  }
  variable.type = expect_type("a variable");
  variable.name = expect_word("the name of a variable");
  bool array = false;
  const std::uint64_t count = read_extents(array, variable.unsized);
  const std::uint64_t element = std::uint64_t(std::max(bytes_of(variable.type), 0));
  const std::uint64_t bytes = (element ? element : 8) * lanes;
  if (count > kVariableLimit / bytes) fail(fmt::format("variable `{}` is too large", variable.name));
  variable.size = variable.unsized ? 0 : count * bytes;
  variable.alignment = alignment ? alignment : static_cast<std::uint32_t>(bytes);
  if (accept('=')) read_initialiser(variable);
  return variable;
}

}  // namespace xcuda::ptx
