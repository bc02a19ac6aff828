// The language on a page, for %help and docs/commands.md.
#pragma once

#include <span>
#include <string_view>

namespace xcuda::command {

struct Lesson {
  std::string_view title;
  std::string_view text;     // a paragraph
  std::string_view example;  // lines of a cell
};
std::span<const Lesson> lessons();

struct TypeRow {
  std::string_view spelling, dtype, note;
};
std::span<const TypeRow> type_rows();

}  // namespace xcuda::command
