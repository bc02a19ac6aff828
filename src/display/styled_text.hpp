// Text in a few meanings, written once and drawn three ways: without colours, for a terminal, as HTML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "display/bundle.hpp"

namespace xcuda::display {

enum class Style : std::uint8_t {
  normal,
  strong,
  error,
  warning,
  note,
  place,
  gutter,
  advice,
  error_mark,
  warning_mark
};

class StyledText {
 public:
  StyledText& add(std::string_view text) { return add(Style::normal, text); }
  StyledText& add(Style style, std::string_view text);
  StyledText& line() { return add("\n"); }
  StyledText& append(const StyledText& other);

  bool empty() const { return pieces_.empty(); }
  std::string text(Colours colours) const;  // a colour never goes over the end of a line
  std::string html() const;                 // for the inside of a <pre>

 private:
  struct Piece {
    Style style;
    std::string text;
  };
  std::vector<Piece> pieces_;
};

// A heading above a block of text.
Bundle listing_bundle(std::string_view title, const StyledText& text, const std::vector<std::string>& facts = {});

// The line of a place with its number, and the carets below it; `marks` is the style of an error or a warning. Empty
// without an excerpt.
StyledText styled_excerpt(const Place& place, Style marks);
// "In[7]:3:9", as far as it is known.
std::string place_text(const Place& place);
// The place and its excerpt, each on lines of its own.
StyledText styled_place(const Place& place);
// "note: the first line", further lines below its text.
void labelled(StyledText& text, Style style, std::string_view label, std::string_view body);

}  // namespace xcuda::display
