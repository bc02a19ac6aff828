#include "cell/lexer.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace xcuda::cell {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// Longest first. '>' is a token of its own, see lexer.hpp; digraphs and alternative tokens are not C++ as people write
// it.
constexpr std::array<std::string_view, 25> kPunctuators = {"<<<", "<=>", "<<=", "...", "->*", "::", "->", "++", "--",
                                                           "<<",  "<=",  "==",  "!=",  "&&",  "||", "+=", "-=", "*=",
                                                           "/=",  "%=",  "^=",  "&=",  "|=",  ".*", "##"};

bool is_string_prefix(std::string_view word) { return word == "u8" || word == "u" || word == "U" || word == "L"; }
bool is_raw_prefix(std::string_view word) {
  return !word.empty() && word.back() == 'R' && (word.size() == 1 || is_string_prefix(word.substr(0, word.size() - 1)));
}

}  // namespace

bool is_identifier_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_identifier_character(char c) { return is_identifier_start(c) || is_digit(c); }

Place Source::place(Span span) const {
  Place place;
  place.source = name;
  const auto begin = std::min<std::size_t>(span.begin, text.size());
  const auto at = line_column(text, begin);
  place.line = at.line;
  place.column = at.column;
  const auto start = begin - static_cast<std::size_t>(at.column - 1);
  auto excerpt = text.substr(start, text.find('\n', start) - start);
  if (excerpt.ends_with('\r')) excerpt.remove_suffix(1);
  const auto end = std::clamp<std::size_t>(span.end, begin, std::max(begin, start + excerpt.size()));
  place.width = static_cast<int>(end - begin);
  place.excerpt = std::string(excerpt);
  return place;
}

Lexer::Lexer(const Source& source, Failure& failure, Span range)
    : source_(source), failure_(failure), at_(range.begin), end_(range.end) {
  if (at_ == 0 && source_.text.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

void Lexer::seek(std::uint32_t offset) {
  at_ = offset;
  line_start_ = offset == 0 || source_.text[offset - 1] == '\n';
}

Token Lexer::fail(Span span, std::string message, std::string advice, Reach reached) {
  if (!failure_.error) {
    failure_.error = Error(ErrorKind::syntax, std::move(message)).at(source_.place(span)).advise(std::move(advice));
    failure_.at_end = reached == Reach::end;
  }
  at_ = end_;
  return token(TokenKind::end, end_);
}

// C++'s words for operators.
static std::string_view alternative(std::string_view word) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"and", "&&"}, {"or", "||"},   {"not", "!"},     {"not_eq", "!="}, {"bitand", "&"}, {"bitor", "|"},
      {"xor", "^"},  {"compl", "~"}, {"and_eq", "&="}, {"or_eq", "|="},  {"xor_eq", "^="}};
  for (const auto& [name, symbol] : kWords)
    if (word == name) return symbol;
  return {};
}

Token Lexer::token(TokenKind kind, std::uint32_t begin) {
  Token token;
  token.kind = kind;
  token.line_start = line_start_;
  token.space_before = space_before_;
  token.span = {begin, at_};
  token.text = source_.text.substr(begin, at_ - begin);
  if (kind == TokenKind::identifier)
    if (const auto symbol = alternative(token.text); !symbol.empty()) {
      token.kind = TokenKind::punctuator;
      token.text = symbol;
    }
  line_start_ = false;
  return token;
}

std::uint32_t Lexer::newline_length(std::uint32_t offset) const {
  if (at(offset) != '\\') return 0;
  if (at(offset + 1) == '\n') return 2;
  return at(offset + 1) == '\r' && at(offset + 2) == '\n' ? 3 : 0;
}

bool Lexer::skip_blanks(bool& line_start) {
  while (at_ < end_) {
    const char c = at(at_);
    if (c == '\n') {
      line_start = true;
      ++at_;
    } else if (is_blank(c)) {
      ++at_;
    } else if (const auto length = newline_length(at_)) {
      at_ += length;
    } else if (c == '/' && at(at_ + 1) == '/') {
      while (at_ < end_ && at(at_) != '\n') at_ += std::max<std::uint32_t>(1, newline_length(at_));
    } else if (c == '/' && at(at_ + 1) == '*') {
      const auto close = source_.text.substr(0, end_).find("*/", at_ + 2);
      if (close == std::string_view::npos) {
        fail({at_, at_ + 2}, "this comment is not closed", "End it with */", Reach::end);
        return false;
      }
      const auto inside = source_.text.substr(at_, close - at_);
      if (inside.find('\n') != std::string_view::npos) line_start = true;
      at_ = static_cast<std::uint32_t>(close) + 2;
    } else {
      break;
    }
  }
  at_ = std::min(at_, end_);
  return true;
}

Token Lexer::next() {
  const auto before = at_;
  if (failure_.error || !skip_blanks(line_start_)) {
    at_ = end_;
    return token(TokenKind::end, end_);
  }
  space_before_ = at_ != before || at_ == 0;
  if (at_ >= end_) return token(TokenKind::end, end_);

  const char c = at(at_);
  if (c == '#' && line_start_) return directive();
  if (is_identifier_start(c)) {
    const auto rest = source_.text.substr(at_, std::min<std::uint32_t>(3, end_ - at_));
    if (rest == "\xE2\x80\x9C" || rest == "\xE2\x80\x9D" || rest == "\xE2\x80\x98" || rest == "\xE2\x80\x99")
      return fail({at_, at_ + 3}, "a typographic quotation mark is not part of C++", "type \" or ' instead");
    if (rest.starts_with("\xC2\xA0"))
      return fail({at_, at_ + 2}, "a no-break space is not part of C++", "Replace it with a plain space");
    const auto begin = at_;
    while (at_ < end_ && is_identifier_character(at(at_))) ++at_;
    const auto word = source_.text.substr(begin, at_ - begin);
    if (at(at_) == '"' && is_raw_prefix(word)) return raw_string(begin);
    if ((at(at_) == '"' || at(at_) == '\'') && is_string_prefix(word)) return quoted(begin);
    return token(TokenKind::identifier, begin);
  }
  if (is_digit(c) || (c == '.' && is_digit(at(at_ + 1)))) return number();
  if (c == '"' || c == '\'') return quoted(at_);
  return punctuator();
}

Token Lexer::number() {
  // A pp-number: what it means is decided by the expression parser.
  const auto begin = at_;
  while (at_ < end_) {
    const char c = at(at_);
    const char after = at(at_ + 1);
    if ((c == 'e' || c == 'E' || c == 'p' || c == 'P') && (after == '+' || after == '-')) {
      const auto so_far = source_.text.substr(begin, at_ - begin);
      const bool hexadecimal = so_far.starts_with("0x") || so_far.starts_with("0X");
      const bool exponent = hexadecimal ? c == 'p' || c == 'P' : true;
      at_ += exponent ? 2 : 1;
    } else if (c == '\'' && is_identifier_character(after)) {
      at_ += 2;
    } else if (c == '.' || (is_identifier_character(c) && static_cast<unsigned char>(c) < 0x80)) {
      ++at_;
    } else {
      break;
    }
  }
  return token(TokenKind::number, begin);
}

Token Lexer::quoted(std::uint32_t begin) {
  const char quote = at(at_);
  const auto open = at_++;
  while (at_ < end_ && at(at_) != quote) {
    if (at(at_) == '\n') break;
    at_ += at(at_) == '\\' && at_ + 1 < end_ ? std::max<std::uint32_t>(2, newline_length(at_)) : 1;
  }
  if (at_ >= end_ || at(at_) != quote)
    return fail({open, open + 1},
                quote == '"' ? "this string is never closed" : "this character literal is never closed",
                std::string("End it with ") + quote + " on the same line");
  ++at_;
  return token(quote == '"' ? TokenKind::string : TokenKind::character, begin);
}

Token Lexer::raw_string(std::uint32_t begin) {
  const auto text = source_.text.substr(0, end_);
  const auto open = text.find('(', at_);
  if (open == std::string_view::npos || open - at_ > 17)
    return fail({begin, at_ + 1}, "this raw string has no (", "Write R\"(...)\"",
                open == std::string_view::npos ? Reach::end : Reach::inside);
  const auto closing = ")" + std::string(text.substr(at_ + 1, open - at_ - 1)) + "\"";
  const auto close = text.find(closing, open + 1);
  if (close == std::string_view::npos)
    return fail({begin, static_cast<std::uint32_t>(open) + 1}, "this raw string is not closed",
                "End it with " + closing, Reach::end);
  at_ = static_cast<std::uint32_t>(close + closing.size());
  return token(TokenKind::string, begin);
}

Token Lexer::punctuator() {
  const auto begin = at_;
  const auto rest = source_.text.substr(at_, std::min<std::uint32_t>(3, end_ - at_));
  for (const auto known : kPunctuators)
    if (rest.starts_with(known)) {
      at_ += static_cast<std::uint32_t>(known.size());
      return token(TokenKind::punctuator, begin);
    }
  static constexpr std::string_view kSingle = "{}[]()<>;:,.?!~+-*/%^&|=#\\";
  if (kSingle.find(rest[0]) == std::string_view::npos) {
    const auto code = static_cast<unsigned char>(rest[0]);
    std::string shown = rest.substr(0, 1) == "`" || rest.substr(0, 1) == "@"
                            ? "'" + std::string(rest.substr(0, 1)) + "'"
                            : "a control character";
    if (shown.size() != 3) shown += " (byte " + std::to_string(code) + ")";
    return fail({at_, at_ + 1}, shown + " is not part of C++", "Remove it");
  }
  ++at_;
  return token(TokenKind::punctuator, begin);
}

Token Lexer::directive() {
  const auto begin = at_;
  while (at_ < end_ && at(at_) != '\n') {
    if (at(at_) == '/' && at(at_ + 1) == '*') {
      const auto close = source_.text.substr(0, end_).find("*/", at_ + 2);
      if (close == std::string_view::npos)
        return fail({at_, at_ + 2}, "this comment is not closed", "End it with */", Reach::end);
      at_ = static_cast<std::uint32_t>(close) + 2;
    } else if (at(at_) == '/' && at(at_ + 1) == '/') {
      while (at_ < end_ && at(at_) != '\n') at_ += std::max<std::uint32_t>(1, newline_length(at_));
    } else if (at(at_) == '"') {  // so that "/*" in a string opens no comment
      ++at_;
      while (at_ < end_ && at(at_) != '"' && at(at_) != '\n')
        at_ += at(at_) == '\\' ? std::max<std::uint32_t>(2, newline_length(at_)) : 1;
      if (at_ < end_ && at(at_) == '"') ++at_;
    } else {
      at_ += std::max<std::uint32_t>(1, newline_length(at_));
    }
  }
  at_ = std::min(at_, end_);
  const auto line = split_directive(source_.text.substr(begin, at_ - begin));
  if (line.name == "if" && trim(line.rest) == "0") skip_disabled_lines();
  return token(TokenKind::directive, begin);
}

// What follows "#if 0" need not be C++: the lines up to its #else, #elif or #endif become part of the directive.
void Lexer::skip_disabled_lines() {
  int depth = 0;
  for (auto line = at_; line < end_; line = at_) {  // line is a newline
    auto stop = line + 1;
    while (stop < end_ && at(stop) != '\n') ++stop;
    auto hash = line + 1;
    while (hash < stop && is_blank(at(hash))) ++hash;
    if (hash < stop && at(hash) == '#') {
      const auto name = split_directive(source_.text.substr(hash, stop - hash)).name;
      if (depth == 0 && (name == "else" || name == "elif" || name == "endif")) return;
      if (name.starts_with("if")) ++depth;
      if (name == "endif") --depth;
    }
    at_ = stop;
  }
}

DirectiveText split_directive(std::string_view line) {
  const auto skip = [&] {
    while (!line.empty()) {
      if (is_blank(line[0]))
        line.remove_prefix(1);
      else if (line.starts_with("\\\n"))
        line.remove_prefix(2);
      else if (line.starts_with("\\\r\n"))
        line.remove_prefix(3);
      else if (line.starts_with("/*"))
        line.remove_prefix(
            std::min(line.size(), line.find("*/", 2) == std::string_view::npos ? line.size() : line.find("*/", 2) + 2));
      else
        break;
    }
  };
  if (line.starts_with('#')) line.remove_prefix(1);
  skip();
  std::size_t length = 0;
  while (length < line.size() && is_identifier_character(line[length])) ++length;
  DirectiveText result{line.substr(0, length), {}};
  line.remove_prefix(length);
  skip();
  result.rest = line;
  return result;
}

std::vector<Token> tokens_of(std::string_view text) {
  const Source source{{}, text};
  Failure failure;
  Lexer lexer(source, failure, {0, static_cast<std::uint32_t>(text.size())});
  std::vector<Token> tokens;
  for (auto token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) tokens.push_back(token);
  return tokens;
}

std::optional<std::string> unescape(std::string_view inside) {
  std::string value;
  const auto append_code_point = [&](std::uint32_t code) {
    if (code < 0x80)
      value.push_back(static_cast<char>(code));
    else if (code < 0x800) {
      value.push_back(static_cast<char>(0xC0 | (code >> 6)));
      value.push_back(static_cast<char>(0x80 | (code & 0x3F)));
    } else if (code < 0x10000) {
      value.push_back(static_cast<char>(0xE0 | (code >> 12)));
      value.push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3F)));
      value.push_back(static_cast<char>(0x80 | (code & 0x3F)));
    } else {
      value.push_back(static_cast<char>(0xF0 | (code >> 18)));
      value.push_back(static_cast<char>(0x80 | ((code >> 12) & 0x3F)));
      value.push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3F)));
      value.push_back(static_cast<char>(0x80 | (code & 0x3F)));
    }
  };
  const auto digit = [](char c) {
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\') {
      value.push_back(inside[i]);
      continue;
    }
    if (++i >= inside.size()) return std::nullopt;
    const char c = inside[i];
    switch (c) {
      case 'n': value.push_back('\n'); break;
      case 't': value.push_back('\t'); break;
      case 'r': value.push_back('\r'); break;
      case 'a': value.push_back('\a'); break;
      case 'b': value.push_back('\b'); break;
      case 'f': value.push_back('\f'); break;
      case 'v': value.push_back('\v'); break;
      case 'e': value.push_back('\x1B'); break;  // GNU
      case '\\':
      case '\'':
      case '"':
      case '?': value.push_back(c); break;
      case '\n': break;
      case '\r':
        if (i + 1 < inside.size() && inside[i + 1] == '\n') ++i;
        break;
      case 'x': {
        std::uint32_t code = 0;
        std::size_t digits = 0;
        while (i + 1 < inside.size() && digit(inside[i + 1]) >= 0) {
          code = code * 16 + static_cast<std::uint32_t>(digit(inside[++i]));
          ++digits;
          if (code > 0xFF) return std::nullopt;
        }
        if (digits == 0) return std::nullopt;
        value.push_back(static_cast<char>(code));
        break;
      }
      case 'u':
      case 'U': {
        const std::size_t wanted = c == 'u' ? 4 : 8;
        std::uint32_t code = 0;
        for (std::size_t k = 0; k < wanted; ++k) {
          if (i + 1 >= inside.size() || digit(inside[i + 1]) < 0) return std::nullopt;
          code = code * 16 + static_cast<std::uint32_t>(digit(inside[++i]));
        }
        if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return std::nullopt;
        append_code_point(code);
        break;
      }
      default: {
        if (c < '0' || c > '7') return std::nullopt;
        std::uint32_t code = static_cast<std::uint32_t>(c - '0');
        for (int k = 0; k < 2 && i + 1 < inside.size() && inside[i + 1] >= '0' && inside[i + 1] <= '7'; ++k)
          code = code * 8 + static_cast<std::uint32_t>(inside[++i] - '0');
        if (code > 0xFF) return std::nullopt;
        value.push_back(static_cast<char>(code));
      }
    }
  }
  return value;
}

}  // namespace xcuda::cell
