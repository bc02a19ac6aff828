// A plain table, as text in aligned columns and as HTML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "display/bundle.hpp"

namespace xcuda::display {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  enum class Kind : std::uint8_t {
    text,
    code,
    aligned,
    words,
    prose
  } kind = Kind::text;  // in HTML: code is monospaced, aligned also keeps its blanks;
                        // words wrap when space is short, prose is wide
};

// One field. html replaces the text in HTML when that is more than the text: a bar, a link.
struct Field {
  Field(std::string text) : text(std::move(text)) {}  // NOLINT(google-explicit-constructor)
  Field(const char* text) : text(text) {}             // NOLINT(google-explicit-constructor)
  Field(std::string_view text) : text(text) {}        // NOLINT(google-explicit-constructor)
  Field(std::string text, std::string html) : text(std::move(text)), html(std::move(html)) {}
  std::string text, html;
};

struct Table {
  std::string title;  // a line above; may be empty
  std::vector<Column> columns;
  std::vector<std::vector<Field>> rows;
  std::vector<std::string> notes;     // lines below
  std::vector<std::string> warnings;  // lines that a reader should not miss, below the notes
};

void drop_empty_columns(Table& table);  // columns that are empty in all rows
std::string table_text(const Table& table);
std::string table_html(const Table& table);  // a fragment, without the style sheet
Bundle table_bundle(const Table& table);

}  // namespace xcuda::display
