// The cell: its magic, and which parts of its text are device code and which statements.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {
namespace {

bool is_word_character(char c) { return is_identifier_character(c) || c == '-'; }

// "name", "ns::name", "%magic", "name<double>": what can be before a '?'.
bool is_help_name(std::string_view text) {
  for (int i = 0; i < 2 && text.starts_with('%'); ++i) text.remove_prefix(1);
  if (text.empty() || !is_identifier_start(text[0])) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_identifier_character(c) || std::string_view(":.<>,-").find(c) != std::string_view::npos;
  });
}

// name? and name??
std::optional<Help> question(std::string_view line) {
  const auto mark = line.find('?');
  if (mark == line.npos || line.size() - mark > 2 || line.back() != '?' || !is_help_name(line.substr(0, mark)))
    return {};
  return Help{std::string(line.substr(0, mark)), line.ends_with("??")};
}

}  // namespace

ParseResult Parser::cell() {
  const auto text = source_.text;
  cell_.text = std::string(text);
  if (text.size() >= std::numeric_limits<std::uint32_t>::max() / 2) {
    fail({}, "a cell of more than 2 GiB", "Load data from a file");
  } else if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    const auto offset = static_cast<std::uint32_t>(nul);
    fail({offset, offset + 1}, "the cell holds a NUL byte", "Remove it: text only");
  } else {
    if (mode_ == Mode::mixed) whole_cell_magic();
    if (mode_ == Mode::mixed && !failed()) whole_program();
    top_level();
  }
  ParseResult result;
  result.cell = std::move(cell_);
  result.incomplete = failure_.error && failure_.at_end;
  result.error = std::move(failure_.error);
  return result;
}

ParseResult Parser::device_code() {
  mode_ = Mode::device;
  return cell();
}

std::uint32_t Parser::end_of_line(std::uint32_t from) const {
  // A backslash before the newline continues the line.
  auto at = from;
  while (at < end_ && source_.text[at] != '\n') {
    if (source_.text[at] == '\\' && at + 1 < end_ && source_.text[at + 1] == '\n')
      ++at;
    else if (source_.text[at] == '\\' && at + 2 < end_ && source_.text[at + 1] == '\r' && source_.text[at + 2] == '\n')
      at += 2;
    ++at;
  }
  return std::min(at, end_);
}

// %%name on the first line that is neither empty nor a comment.
void Parser::whole_cell_magic() {
  const auto first = peek();
  if (!first.is("%") || !first.line_start || !at("%", 1) || peek(1).space_before) return;
  const auto begin = first.span.begin;
  const auto line_end = end_of_line(begin);
  if (question(trim(text({begin, line_end})))) return;  // %%name?
  auto magic = magic_line(begin + 1, line_end, MagicShape::cell);
  magic.whole_cell = true;
  magic.setup = magic.statements.size();
  cell_.statements.swap(magic.statements);
  const auto body_begin = std::min(line_end + 1, end_);
  magic.body_span = {body_begin, end_};
  magic.body = std::string(text(magic.body_span));
  tokens_.clear();
  position_ = 0;
  lexer_.seek(magic.takes == MagicText::words ? end_ : body_begin);
  if (failed()) lexer_.seek(end_);
  last_may_be_open_ = magic.takes == MagicText::declarations;
  cell_.magic = std::move(magic);
}

// percent is the offset of the (second) '%'.
Magic Parser::magic_line(std::uint32_t percent, std::uint32_t line_end, MagicShape shape) {
  Magic magic;
  auto at = percent + 1;
  const auto name_begin = at;
  while (at < line_end && is_word_character(source_.text[at])) ++at;
  magic.name_span = {name_begin, at};
  magic.name = std::string(text(magic.name_span));
  if (magic.name.empty()) {
    fail({percent, percent + 1}, "a magic needs a name",
         "Write it directly after '%'; %lsmagic lists all magics, and %%bash runs a cell in a shell");
    return magic;
  }
  while (at < line_end && (source_.text[at] == ' ' || source_.text[at] == '\t')) ++at;
  auto stop = line_end;
  while (stop > at &&
         (source_.text[stop - 1] == '\r' || source_.text[stop - 1] == ' ' || source_.text[stop - 1] == '\t'))
    --stop;
  const Span rest{at, stop};
  magic.line = std::string(text(rest));
  if (grammar_ != nullptr) magic.takes = grammar_(magic.name, shape);
  const bool with_setup = magic.takes == MagicText::statements_after_setup;
  if (with_setup) magic.takes = MagicText::statements;
  const bool statements = magic.takes == MagicText::statements || magic.takes == MagicText::declarations;
  if ((shape == MagicShape::line || with_setup) && statements) {
    const auto statement = line_statement(rest);
    magic.words = split_words({rest.begin, statement.begin});
    if (!failed() && statement.begin < statement.end) magic.statements = statements_of_line(statement);
  } else {
    magic.words = split_words(rest);
  }
  return magic;
}

std::vector<Word> Parser::split_words(Span range) {
  std::vector<Word> words;
  for (auto at = range.begin; at < range.end;) {
    const char c = source_.text[at];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n' ||
        (c == '\\' && at + 1 < range.end && (source_.text[at + 1] == '\n' || source_.text[at + 1] == '\r'))) {
      ++at;
      continue;
    }
    Word word;
    word.span.begin = at;
    while (at < range.end) {
      const char here = source_.text[at];
      if (here == ' ' || here == '\t' || here == '\n' || here == '\r') break;
      if (here != '"' && here != '\'') {
        word.text.push_back(here);
        ++at;
        continue;
      }
      word.quoted = true;
      const auto open = at++;
      while (at < range.end && source_.text[at] != here) {
        if (here == '"' && source_.text[at] == '\\' && at + 1 < range.end &&
            (source_.text[at + 1] == '"' || source_.text[at + 1] == '\\'))
          ++at;
        word.text.push_back(source_.text[at++]);
      }
      if (at >= range.end) {
        fail({open, open + 1}, "this quote is not closed", fmt::format("Close it with {} on the same line", here));
        return words;
      }
      ++at;
    }
    word.span.end = at;
    words.push_back(std::move(word));
  }
  return words;
}

// Options begin with '-' and may have a value that cannot begin a statement.
Span Parser::line_statement(Span range) const {
  auto at = range.begin;
  const auto blank = [&](std::uint32_t i) { return source_.text[i] == ' ' || source_.text[i] == '\t'; };
  bool after_option = false;
  while (at < range.end) {
    while (at < range.end && blank(at)) ++at;
    if (at >= range.end) break;
    const char c = source_.text[at];
    const bool option = c == '-';
    const bool value = after_option && ((c >= '0' && c <= '9') || c == '"' || c == '\'' || c == '.');
    if (!option && !value) break;
    auto stop = at;
    while (stop < range.end && !blank(stop)) ++stop;
    const auto word = text({at, stop});
    const bool has_value =
        word.find('=') != std::string_view::npos || (word.size() > 2 && word[2] >= '0' && word[2] <= '9');  // -n3
    after_option = option && !has_value;
    at = stop;
  }
  return {at, range.end};
}

std::vector<StatementPtr> Parser::statements_of_line(Span range) {
  // A parser of the same source that sees the line alone: places stay those of the cell.
  Parser line(source_.text.substr(0, range.end), source_.name, grammar_);
  line.types_ = types_;
  line.mode_ = Mode::statements;
  line.last_may_be_open_ = true;
  line.previous_end_ = range.begin;
  line.lexer_.seek(range.begin);
  std::vector<StatementPtr> statements;
  while (!line.at_end()) line.statement_into(statements);
  if (line.failed() && !failed()) {
    auto error = std::move(line.failure_);
    // The line ends at its newline, so nothing that follows can complete it, unless the cell ends here.
    error.at_end = error.at_end && range.end == end_;
    fail({}, {});
    failure_ = std::move(error);
  }
  return statements;
}

// Magics, shell commands and help are lines, not tokens; true when one was read (or failed).
bool Parser::raw_line(std::vector<StatementPtr>& into) {
  const auto first = peek();
  if (first.kind == TokenKind::end) return false;
  const auto begin = first.span.begin;
  const auto finish = [&](std::uint32_t line_end, auto node) {
    auto statement = std::make_unique<Statement>();
    statement->span = {begin, line_end};
    statement->node = std::move(node);
    into.push_back(std::move(statement));
    tokens_.clear();
    position_ = 0;
    previous_end_ = line_end;
    lexer_.seek(failed() ? end_ : line_end);
    return true;
  };
  const char c = source_.text[begin];
  if (c == '%' && first.kind == TokenKind::punctuator) {
    if (!first.line_start) {
      fail(first.span, "a magic needs its own line", "Begin a new line before it");
      return true;
    }
    const auto line_end = end_of_line(begin);
    if (auto help = question(trim(text({begin, line_end})))) return finish(line_end, std::move(*help));
    if (begin + 1 < end_ && source_.text[begin + 1] == '%') {
      auto name_end = begin + 2;
      while (name_end < line_end && is_word_character(source_.text[name_end])) ++name_end;
      const auto name = text({begin, name_end});
      fail({begin, name_end}, fmt::format("{} must be on the first line of the cell", name),
           fmt::format("Move it there, or use {} for one line", name.substr(1)));
      return true;
    }
    return finish(line_end, magic_line(begin, line_end, MagicShape::line));
  }
  if (!first.line_start) return false;
  if (c == '!' && first.kind == TokenKind::punctuator) {
    const auto line_end = end_of_line(begin);
    auto command = trim(text({begin + 1, line_end}));
    if (command.starts_with('!')) command.remove_prefix(1);  // !!command of IPython
    if (command.empty()) {
      fail(first.span, "expected a shell command after '!'", "Write !command");
      return true;
    }
    return finish(line_end, Shell{std::string(command)});
  }
  if (c == '?' || first.is_identifier() || first.is("::")) {
    std::uint32_t line_end = begin;
    while (line_end < end_ && source_.text[line_end] != '\n' && line_end - begin < 512) ++line_end;
    const auto line = trim(text({begin, line_end}));
    if (c == '?') {
      const bool source = line.starts_with("??");
      const auto name = trim(line.substr(source ? 2 : 1));
      if (!is_help_name(name)) {
        fail(first.span, "'?' goes before or after one name", "Write name? or ?name");
        return true;
      }
      return finish(line_end, Help{std::string(name), source});
    }
    if (auto help = question(line)) return finish(line_end, std::move(*help));
  }
  return false;
}

void Parser::top_level() {
  while (!at_end()) {
    drop_read_tokens();
    if (mode_ == Mode::device) {
      const auto first = peek();
      if (first.is("%") && first.line_start) {
        fail(first.span, "a magic cannot be inside device code", "Put it into its own cell");
        break;
      }
      device_piece({});
      continue;
    }
    if (replaced_ == Replaced::all) replaced_ = Replaced::statements;
    piece_begin_ = peek().span.begin;
    if (raw_line(cell_.statements) || accept(";") || type_with_variables()) continue;
    const bool device = starts_device_code();
    if (failed()) break;
    if (device) {
      device_piece({});
      continue;
    }
    if (at("}")) {
      fail(peek().span, "this '}' closes nothing", "Remove it, or open the block with '{'");
      break;
    }
    if (!conditionals_.empty()) {
      read_conditions_again();
      continue;
    }
    if (auto parsed = statement()) cell_.statements.push_back(std::move(parsed));
  }
  if (!failed() && (!conditionals_.empty() || !branches_.empty())) {
    const auto open = conditionals_.empty() ? branches_.back() : conditionals_.back().span;
    fail(open, fmt::format("this #{} has no #endif", split_directive(text(open)).name), "End it with #endif");
    failure_.at_end = true;
  }
}

// --- which is which ------------------------------------------------------------------------------------------------

bool Parser::starts_device_code() {
  const auto first = peek();
  if (first.kind == TokenKind::directive) return true;
  if (first.is("[") && at("[", 1)) return has_device_attribute();
  if (!first.is_identifier() && !first.is("::") && !first.is("~")) return false;
  static constexpr std::string_view kDevice[] = {"template",  "namespace",     "using",     "typedef",
                                                 "concept",   "static_assert", "extern",    "inline",
                                                 "constexpr", "consteval",     "constinit", "asm"};
  static constexpr std::string_view kStatement[] = {"if",       "for",    "while",   "do",     "return", "break",
                                                    "continue", "switch", "goto",    "try",    "throw",  "catch",
                                                    "else",     "case",   "default", "delete", "new"};
  if (std::find(std::begin(kDevice), std::end(kDevice), first.text) != std::end(kDevice)) return true;
  if (std::find(std::begin(kStatement), std::end(kStatement), first.text) != std::end(kStatement)) return false;
  if (at_device_block()) return false;

  // The head of a declaration, up to what tells a function or a type from a value.
  std::size_t words = 0;  // names side by side, a qualified one counts once
  bool class_key = false, stars = false, is_void = false;
  for (std::size_t i = 0;; ++i) {
    const auto token = peek(i);
    if (token.is_identifier()) {
      if (is_specifier(token.text) || token.is("constexpr") || token.is("inline") || token.is("operator") ||
          token.is("consteval"))
        return true;
      if (token.is("struct") || token.is("class") || token.is("union") || token.is("enum")) {
        class_key = true;
        continue;
      }
      if (token.is("void")) is_void = true;
      const bool qualified = i > 0 && (peek(i - 1).is("::") || peek(i - 1).is("~"));
      if (!qualified && !token.is("const") && !token.is("static") && !token.is("volatile") && !token.is("typename"))
        ++words;
      if ((token.is("alignas") || token.is("decltype")) && at("(", i + 1)) {
        int depth = 0;
        for (++i;; ++i) {
          const auto inner = peek(i);
          if (inner.kind == TokenKind::end) return false;
          if (inner.is("(")) ++depth;
          if (inner.is(")") && --depth == 0) break;
        }
      }
      continue;
    }
    if (token.kind != TokenKind::punctuator) return false;
    if (token.is("::") || token.is("~")) continue;
    if (token.is("*") || token.is("&") || token.is("&&")) {
      stars = true;
      continue;
    }
    if (token.is("<")) {
      const auto after = scan_template_arguments(i);
      if (!after) return false;
      i = *after - 1;
      continue;
    }
    if (token.is("{")) return class_key;
    if (token.is(":") && class_key) {  // bases: a body follows
      for (++i;; ++i) {
        if (peek(i).is("{")) return true;
        if (peek(i).kind == TokenKind::end || peek(i).is(";") || peek(i).is("}")) return false;
      }
    }
    if (token.is(";") && class_key && words == 1 && !stars) return true;                      // "struct P;"
    if ((token.is("=") || token.is(";")) && words >= 2 && peek(i - 2).is("::")) return true;  // int P::count = 3;
    if (!token.is("(")) return false;
    std::size_t close = i;
    for (int depth = 0;; ++close) {
      const auto inner = peek(close);
      if (inner.kind == TokenKind::end) return false;
      if (inner.is("(")) ++depth;
      if (inner.is(")") && --depth == 0) break;
    }
    if (i == 0 || words == 0) return false;
    const auto after = peek(close + 1);
    const bool named = words >= 2 || (i >= 3 && peek(i - 2).is("::")) || (i >= 2 && peek(i - 2).is("~"));
    if (after.is("{")) return true;
    if (after.is("const") || after.is("noexcept") || after.is("override") || after.is("final") || after.is("try"))
      return named;
    if (after.is_identifier() && is_specifier(after.text)) return true;
    if (after.is("->")) return words >= 2 && !stars;
    if (after.is(":")) return words == 1 && named;  // P::P(...) : x(1) { }
    if (after.is("=")) return named && (at("default", close + 2) || at("delete", close + 2));
    if (after.is(";") && words >= 2)
      return is_void || (close == i + 1 ? !stars || scan_type(0).value_or(TypeScan{}).known : is_prototype(i, close));
    return false;
  }
}

// Whether the tokens between open and close are parameters and not values: each looks like one and one must be.
bool Parser::is_prototype(std::size_t open, std::size_t close) {
  if (close == open + 2 && at("void", open + 1)) return true;
  bool certain = false;
  for (auto i = open + 1; i < close;) {
    if (at("...", i)) {
      certain = true;
      ++i;
    } else {
      const auto type = scan_type(i);
      if (!type || type->next > close) return false;
      i = type->next;
      bool indirect = false;
      while (at("*", i) || at("&", i) || at("&&", i) || at("const", i) || at("__restrict__", i) || at("...", i)) {
        indirect = true;
        ++i;
      }
      if (indirect && (at(",", i) || i == close)) certain = true;
      if (type->known || type->is_const) certain = true;
      if (peek(i).is_identifier() && i < close) {
        if (!indirect) certain = true;
        ++i;
      }
      if (at("(", i) && at("*", i + 1) && i < close) {  // a pointer to a function
        int depth = 0, groups = 0;
        for (; i < close && groups < 2; ++i) {
          if (at("(", i)) ++depth;
          if (at(")", i) && --depth == 0) ++groups;
        }
        certain = true;
      }
      while (at("[", i) && i < close) {
        while (!at("]", i) && i < close) ++i;
        ++i;
      }
      if (at("=", i))
        for (int depth = 0; i < close && (depth > 0 || !at(",", i)); ++i) {
          if (at("(", i) || at("{", i) || at("[", i)) ++depth;
          if (at(")", i) || at("}", i) || at("]", i)) --depth;
        }
    }
    if (i < close && !at(",", i)) return false;
    if (i < close) ++i;
  }
  return certain;
}

}  // namespace xcuda::cell
