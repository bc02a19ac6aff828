// Machine code by the lines of the cells that it came from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "display/styled_text.hpp"

namespace xcuda::display {

// An instruction, or the label of a place that is jumped to.
struct CodeRow {
  enum class Kind : std::uint8_t { instruction, label } kind = Kind::instruction;
  std::string source;  // "In[3]"; `line` is the line that the instruction is for, 0: for none
  int line = 0;
  std::string what;  // the line's text, with remarks: "y[i] = a * x[i];  [some lanes]"
  StyledText text;
};
using CodeRows = std::vector<CodeRow>;

// The rows in order; a line of a cell precedes its instructions.
StyledText listing_text(const CodeRows& rows);

// The lines of the cells, each with a colour and its instructions folded below it, and below them the whole in order.
// Links lead from each to the other. title: of the listing, which makes the links' names.
std::string listing_html(const CodeRows& rows, std::string_view title);

}  // namespace xcuda::display
