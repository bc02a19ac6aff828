// What surrounds the cursor in a text that is being typed: nothing here has to parse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xcuda::editor {

bool is_word(char c);  // a letter, a digit, _, or a byte of UTF-8 beyond ASCII

struct CursorContext {
  enum class Kind : std::uint8_t {
    code,       // an identifier of C++ may be here; word is its part so far
    member,     // after . or ->; object is what is before it
    magic,      // the name of a command after %
    option,     // an option of a command: word begins with -
    operand,    // another word of a command's line
    include,    // a header's name
    directive,  // a word after #
    pragma,     // a word after #pragma
    program,    // the first word after !
    shell,      // one after it
    path,       // in a string that names a file
    value,      // in a string that is the value of a named argument
    nothing,    // a comment or a string
  } kind = Kind::code;
  std::size_t begin = 0;  // where word begins; it ends at the cursor
  std::string word;
  // For member: the names in front, without brackets, parentheses and template arguments; p.inner. has p and inner.
  std::vector<std::string> objects;
  std::size_t object = 0;   // for member: where the whole expression in front of it begins, as in (x + 1).
  std::string magic;        // the command of this line, or of %% for the whole cell; without %
  std::size_t operand = 0;  // which one of its operands, from 0
  std::string option;       // the option in front of this word, which may be its value
  enum class Code : std::uint8_t { any, device, statements } code = Code::any;
};

CursorContext context_at(std::string_view text, std::size_t cursor);

// The text with every byte of comments, strings and characters replaced by a blank; newlines stay.
std::string without_literals(std::string_view text);

// The text with the command's name in the cursor's line replaced by blanks: the statements after it remain.
std::string without_magic(std::string_view text, std::size_t cursor);

// The identifier, with :: and template arguments left out, that the cursor is in or after; % and - included.
std::string name_at(std::string_view text, std::size_t cursor);

// The function or kernel whose arguments the cursor is in, and how many commas precede it.
struct EnclosingCall {
  std::string name;
  std::size_t argument = 0;
  std::size_t begin = 0;  // of the name
};
// The parameter whose value is at the cursor: "filter" after texture t(x, filter = ; empty elsewhere. `begin` is where
// the value begins.
std::string named_argument(std::string_view text, std::size_t begin);
// The first word of the statement that the cursor is in.
std::string statement_word(std::string_view text, std::size_t cursor);
std::optional<EnclosingCall> enclosing_call(std::string_view text, std::size_t cursor);

}  // namespace xcuda::editor
