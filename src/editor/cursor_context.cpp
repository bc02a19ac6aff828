#include "editor/cursor_context.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "command/command_table.hpp"
#include "language/functions.hpp"

namespace xcuda::editor {

using command::Operand;
namespace {

using Kind = CursorContext::Kind;
using Code = CursorContext::Code;

// text with every byte of comments, strings and characters replaced by a blank; newlines stay. `open` says whether the
// text ends inside one of them.
struct Blanked {
  std::string code;
  bool open = false;
};
Blanked blank_literals(std::string_view text) {
  Blanked result{std::string(text), false};
  char inside = 0;  // '/' line comment, '*' block comment, '"' or '\''
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (inside == 0) {
      const bool separates_digits = c == '\'' && i > 0 && std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0;
      if (c == '/' && (next == '/' || next == '*'))
        inside = next;
      else if (c == '"' || (c == '\'' && !separates_digits))
        inside = c;
      if (inside == 0) continue;
      result.code[i] = ' ';
      if (inside == '/' || inside == '*') result.code[++i] = ' ';
      continue;
    }
    if (c == '\n') {
      if (inside != '*') inside = 0;
      continue;
    }
    result.code[i] = ' ';
    if (inside == '*' && c == '*' && next == '/') {
      result.code[++i] = ' ';
      inside = 0;
    } else if ((inside == '"' || inside == '\'') && c == '\\' && next != '\n' && i + 1 < text.size()) {
      result.code[++i] = ' ';
    } else if (c == inside && inside != '/' && inside != '*') {
      inside = 0;
    }
  }
  result.open = inside != 0;
  return result;
}

// The name after %% in the first line that is not empty.
std::string cell_magic(std::string_view text) {
  text = trim(text);
  if (!text.starts_with("%%")) return {};
  text.remove_prefix(2);
  return std::string(
      text.substr(0, std::find_if(text.begin(), text.end(), [](char c) { return !is_word(c); }) - text.begin()));
}

Code code_of(std::string_view magic) {
  const auto* command = command::find(magic);
  const bool words = command == nullptr || command::grammar(magic, cell::MagicShape::cell) == cell::MagicText::words;
  const bool program = command != nullptr && command->operand == command::Operand::program;
  return magic.empty() || !words || program ? Code::any : Code::statements;
}

// Whether a function's first argument names a file.
bool is_of_files(std::string_view function) {
  const auto found = language::find_function(function);
  if (!found) return false;
  using enum language::Operation;
  return found->row->operation == load || found->row->operation == load_npz || found->row->operation == save_npz;
}

// The body of such a cell is not C++.
bool is_text(Operand operand) {
  return operand == Operand::raw || operand == Operand::text || operand == Operand::path;
}

// The words of a magic's line up to the cursor.
CursorContext magic_context(std::string_view line, std::size_t line_begin) {
  CursorContext context;
  const auto start = line.find_first_not_of(" \t");
  auto rest = line.substr(start);
  const auto name_begin = rest.find_first_not_of('%');
  const auto name_end = std::find_if(rest.begin() + static_cast<std::ptrdiff_t>(std::min(name_begin, rest.size())),
                                     rest.end(), [](char c) { return c == ' ' || c == '\t'; }) -
                        rest.begin();
  if (static_cast<std::size_t>(name_end) == rest.size()) {
    context.kind = Kind::magic;
    context.begin = line_begin + start;
    context.word = std::string(rest);
    return context;
  }
  context.magic = std::string(rest.substr(name_begin, static_cast<std::size_t>(name_end) - name_begin));
  context.kind = Kind::operand;
  std::size_t at = static_cast<std::size_t>(name_end);
  std::string previous;
  while (at < rest.size()) {
    const auto begin = std::min(rest.find_first_not_of(" \t", at), rest.size());
    const auto end = std::min(rest.find_first_of(" \t", begin), rest.size());
    const auto word = rest.substr(begin, end - begin);
    context.begin = line_begin + start + begin;
    context.option = previous;
    if (end == rest.size()) {  // the word at the cursor, perhaps empty
      context.word = std::string(word);
      if (word.starts_with('-')) context.kind = Kind::option;
      return context;
    }
    if (!word.starts_with('-') && previous.empty()) ++context.operand;
    previous = word.starts_with('-') ? std::string(word) : "";
    at = end;
  }
  return context;
}

// What precedes a word: ".", "->", or something else. `begin` becomes where the object begins.
std::string object_before(std::string_view code, std::size_t& begin) {
  std::size_t end = 0;
  if (begin >= 1 && code[begin - 1] == '.')
    end = begin - 1;
  else if (begin >= 2 && code.substr(begin - 2, 2) == "->")
    end = begin - 2;
  if (end == 0) return {};
  auto start = end;
  // a[i].x, f(a).x, T<int>(a).x: what is in brackets belongs to the object.
  const auto skip = [&](char open, char close) {
    int depth = 0;
    do {
      --start;
      depth += code[start] == close ? 1 : code[start] == open ? -1 : 0;
    } while (start > 0 && depth > 0);
  };
  while (start > 0 && (code[start - 1] == ']' || code[start - 1] == ')'))
    code[start - 1] == ']' ? skip('[', ']') : skip('(', ')');
  if (start < end && start > 0 && code[start - 1] == '>') skip('<', '>');
  while (start > 0 && (is_word(code[start - 1]) || code[start - 1] == ':')) --start;
  const auto object = code.substr(start, end - start);
  if (object.empty() || std::isdigit(static_cast<unsigned char>(object.front())) != 0) return {};  // 1.5
  begin = start;
  return std::string(object.substr(0, object.find_first_of("[(<")));
}

// `begin` becomes where the first of them begins.
std::vector<std::string> objects_before(std::string_view code, std::size_t& begin) {
  std::vector<std::string> objects;
  constexpr std::size_t kMost = 16;  // members of members
  for (auto object = object_before(code, begin); !object.empty() && objects.size() < kMost;
       object = object_before(code, begin))
    objects.insert(objects.begin(), std::move(object));
  return objects;
}

std::size_t word_begin(std::string_view code, std::size_t cursor) {
  auto begin = cursor;
  while (begin > 0 &&
         (is_word(code[begin - 1]) ||
          (code[begin - 1] == ':' && begin > 1 && (code[begin - 2] == ':' || (begin < cursor && code[begin] == ':')))))
    --begin;
  return begin;
}

}  // namespace

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

CursorContext context_at(std::string_view text, std::size_t cursor) {
  text = text.substr(0, cursor);
  const auto newline = text.rfind('\n');
  const auto line_begin = newline == std::string_view::npos ? 0 : newline + 1;
  const auto line = text.substr(line_begin);
  const auto start = trim(line);
  const auto cell = cell_magic(text);

  CursorContext context;
  context.code = code_of(cell);
  context.magic = cell;
  context.begin = text.size();
  const auto blanked = blank_literals(text);
  const bool inside_literal = blanked.open;
  if (start.starts_with('%')) {
    context = magic_context(line, line_begin);
    context.code = Code::statements;
    return context;
  }
  if (start.starts_with('!')) {
    context.kind = Kind::shell;
    const auto begin = line.find_last_of(" \t!") + 1;
    context.begin = line_begin + begin;
    context.word = std::string(line.substr(begin));
    if (trim(line.substr(0, begin)) == "!" && context.word.find('/') == std::string::npos) context.kind = Kind::program;
    return context;
  }
  if (const auto* command = line_begin > 0 && !cell.empty() ? command::find(cell) : nullptr;
      command != nullptr && command->shape == command::Shape::cell && is_text(command->operand)) {
    context.kind = command->operand == Operand::raw ? Kind::shell : Kind::nothing;
    const auto begin = line.find_last_of(" \t") + 1;
    context.begin = line_begin + begin;
    context.word = std::string(line.substr(begin));
    return context;
  }
  if (start.starts_with('#')) {
    const auto mark = line.find_first_of("<\"");
    const auto hash = line.find('#');
    if (mark != std::string_view::npos && line.find("include") < mark) {
      const bool ended = line.find_first_of(">\"", mark + 1) != std::string_view::npos;
      context.kind = ended ? Kind::nothing : Kind::include;
      context.begin = line_begin + mark + 1;
      context.word = std::string(line.substr(mark + 1));
      return context;
    }
    const auto word = std::min(line.find_first_not_of(" \t", hash + 1), line.size());
    if (line.find_first_of(" \t", word) == std::string_view::npos) {
      context.kind = Kind::directive;
      context.begin = line_begin + word;
      context.word = std::string(line.substr(word));
      return context;
    }
    const auto end = line.find_first_of(" \t", word);
    const auto next = std::min(line.find_first_not_of(" \t", end), line.size());
    if (line.substr(word, end - word) == "pragma" && line.find_first_of(" \t", next) == std::string_view::npos) {
      context.kind = Kind::pragma;
      context.begin = line_begin + next;
      context.word = std::string(line.substr(next));
      return context;
    }
  }
  if (inside_literal) {
    context.kind = Kind::nothing;
    const auto quote = blanked.code.find_last_not_of(" \n");
    const auto begin = text.rfind('"');
    if (quote == std::string::npos || begin == std::string_view::npos || begin <= quote) return context;
    const auto call = enclosing_call(text, begin);
    const auto word = text.substr(begin + 1);
    if (call || !named_argument(text, begin).empty()) {
      context.kind = Kind::value;
      context.begin = begin + 1;
      context.word = std::string(word);
    }
    if ((call && is_of_files(call->name) && call->argument == 0) || word.starts_with('/') || word.starts_with("./") ||
        word.starts_with("../")) {
      context.kind = Kind::path;
      context.begin = begin + 1;
      context.word = std::string(word);
    }
    return context;
  }
  context.begin = word_begin(blanked.code, text.size());
  context.word = std::string(text.substr(context.begin));
  if (!context.word.empty() && std::isdigit(static_cast<unsigned char>(context.word.front())) != 0)
    context.kind = Kind::nothing;
  context.object = context.begin;
  context.objects = objects_before(blanked.code, context.object);
  if (context.object < context.begin)
    context.kind = Kind::member;
  else if (context.begin > 0 && blanked.code[context.begin - 1] == '.')
    context.kind = Kind::nothing;  // 1.5
  return context;
}

std::string without_literals(std::string_view text) { return blank_literals(text).code; }

std::string without_magic(std::string_view text, std::size_t cursor) {
  std::string blanked(text);
  const auto newline = cursor == 0 ? std::string::npos : blanked.rfind('\n', cursor - 1);
  auto i = blanked.find_first_not_of(" \t", newline == std::string::npos ? 0 : newline + 1);
  for (; i < blanked.size() && (blanked[i] == '%' || is_word(blanked[i])); ++i) blanked[i] = ' ';
  return blanked;
}

std::string name_at(std::string_view text, std::size_t cursor) {
  cursor = std::min(cursor, text.size());
  if (cursor > 1 && text[cursor - 1] == '>' && is_word(text[cursor - 2])) {  // after scale<double>
    const auto open = text.rfind('<', cursor - 1);
    if (open != std::string_view::npos) cursor = open;
  }
  const auto belongs = [&](std::size_t i) {
    if (is_word(text[i])) return true;
    return text[i] == ':' && ((i > 0 && text[i - 1] == ':') || (i + 1 < text.size() && text[i + 1] == ':'));
  };
  auto begin = cursor, end = cursor;
  while (begin > 0 && belongs(begin - 1)) --begin;
  while (end < text.size() && belongs(end)) ++end;
  if (begin == end) return {};
  // Options may hold dashes, commands begin with %; both are at the start of a word.
  auto option = begin;
  while (option > 0 && (text[option - 1] == '-' || is_word(text[option - 1]))) --option;
  const bool starts_word = option == 0 || std::isspace(static_cast<unsigned char>(text[option - 1])) != 0;
  if (text[option] == '-' && starts_word) {
    while (end < text.size() && (is_word(text[end]) || text[end] == '-')) ++end;
    return std::string(text.substr(option, end - option));
  }
  while (begin > 0 && text[begin - 1] == '%') --begin;
  auto name = text.substr(begin, end - begin);
  while (name.starts_with(':')) name.remove_prefix(1);
  while (name.ends_with(':')) name.remove_suffix(1);
  return std::string(name);
}

std::string named_argument(std::string_view text, std::size_t begin) {
  const auto code = without_literals(text.substr(0, begin));
  const auto before = trim(code);
  if (!before.ends_with('=')) return {};
  const auto name = trim(before.substr(0, before.size() - 1));
  auto start = name.size();
  while (start > 0 && is_word(name[start - 1])) --start;
  const auto opens = trim(name.substr(0, start));
  if (start == name.size() || !(opens.ends_with('(') || opens.ends_with(','))) return {};
  return std::string(name.substr(start));
}

std::string statement_word(std::string_view text, std::size_t cursor) {
  const auto code = without_literals(text.substr(0, cursor));
  const auto end = code.find_last_of(";{}");
  const auto statement = trim(std::string_view(code).substr(end == std::string::npos ? 0 : end + 1));
  const auto last = std::find_if(statement.begin(), statement.end(), [](char c) { return !is_word(c); });
  return std::string(statement.begin(), last);
}

std::optional<EnclosingCall> enclosing_call(std::string_view text, std::size_t cursor) {
  const auto code = blank_literals(text.substr(0, cursor)).code;
  int depth = 0;
  EnclosingCall call;
  for (auto i = code.size(); i-- > 0;) {
    const char c = code[i];
    if (c == ';') return std::nullopt;
    if (c == '{' && depth == 0) {  // a block, or a list among the arguments: f({x, y
      const auto before = trim(std::string_view(code).substr(0, i));
      if (before.empty() || std::string_view("(,{=").find(before.back()) == std::string_view::npos) return std::nullopt;
      call.argument = 0;
      continue;
    }
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c == ',' && depth == 0) ++call.argument;
    if (c == '[' || c == '{') --depth;
    if (c != '(') continue;
    if (--depth >= 0) continue;
    auto end = i;
    while (end > 0 && std::isspace(static_cast<unsigned char>(code[end - 1])) != 0) --end;
    if (end >= 3 && code.compare(end - 3, 3, ">>>") == 0) end = std::min(code.rfind("<<<", end), end);
    if (end > 0 && code[end - 1] == '>') {
      const auto open = code.rfind('<', end - 1);
      if (open != std::string::npos) end = open;
    }
    while (end > 0 && std::isspace(static_cast<unsigned char>(code[end - 1])) != 0) --end;
    const auto begin = word_begin(code, end);
    if (begin < end) {
      call.name = code.substr(begin, end - begin);
      call.begin = begin;
      return call;
    }
    // A bare parenthesis: what is around it may still be a call.
    depth = 0;
    call.argument = 0;
  }
  return std::nullopt;
}

}  // namespace xcuda::editor
