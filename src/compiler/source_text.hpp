// Pieces of source text: the names it uses, and the part of a cell that is kept, with its line numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cell/tree.hpp"

namespace xcuda::compiler {

// Identifiers of a text, sorted, each once; those in comments, strings and numbers do not count.
std::vector<std::string> identifiers_of(std::string_view text);

// A cell's text in which only some bytes count.
class KeptText {
 public:
  explicit KeptText(std::string_view text) : text_(text), kept_(text.size(), 0) {}
  void keep(cell::Span span) { set(span, 1); }
  void drop(cell::Span span) { set(span, 0); }
  // Writes `line` in place of the line that holds this offset.
  void replace_line(std::uint32_t offset, std::string line) { replaced_.emplace_back(offset, std::move(line)); }

  void overwrite(std::uint32_t offset, std::string_view text) { text_.replace(offset, text.size(), text); }
  // Puts text in front of this byte, if that is kept; columns of the rest of its line move.
  void insert(std::uint32_t offset, std::string text) { inserted_.emplace_back(offset, std::move(text)); }

  // The kept bytes at their lines and columns; what is dropped becomes blanks. Runs of empty lines become a #line.
  std::string compact(std::string_view path) const;
  bool empty() const;

 private:
  void set(cell::Span span, char value);

  std::string text_;
  std::vector<char> kept_;
  std::vector<std::pair<std::uint32_t, std::string>> replaced_, inserted_;
};

int line_of(std::string_view text, std::uint32_t offset);  // from 1

}  // namespace xcuda::compiler
