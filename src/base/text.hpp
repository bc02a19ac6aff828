// Text: UTF-8, lines, distances, escapes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace xcuda {

// The candidate nearest to word by edit distance, when it is near enough to be a likely typing error; else empty.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// The bytes of text with each invalid UTF-8 sequence replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

// How many bytes at the end of text begin a character that is not complete yet (0 to 3).
std::size_t incomplete_utf8_tail(std::string_view text);

// Offsets in Unicode code points (Jupyter's cursor_pos) to bytes and back; past the end counts as the end.
std::size_t bytes_of_code_points(std::string_view text, std::size_t code_points);
std::size_t code_points_of_bytes(std::string_view text, std::size_t bytes);

template <std::size_t N> bool among(std::string_view name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::vector<std::string_view> split_lines(std::string_view text);  // without the newlines; "a\n" is one line
std::string_view trim(std::string_view text);
std::string html_escape(std::string_view text);  // the one place where HTML is escaped

// Line and column, from 1, of a byte offset; and the text of a line.
struct LineColumn {
  int line;
  int column;
};
LineColumn line_column(std::string_view text, std::size_t offset);
std::string_view line_text(std::string_view text, int line);

}  // namespace xcuda
