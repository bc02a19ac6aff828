// The parts of this folder's HTML. Text is escaped here and nowhere else; no scripts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xcuda::display {

// The parts of one output, in a <div class="xcuda"> after the rules that they need.
std::string html_output(std::string_view body);

// HTML of html_output() with all rules or with none; other HTML as it is. If outputs share a page, one of them has the
// style sheet and the others do without.
enum class Styles : std::uint8_t { all, none };
std::string with_styles(std::string html, Styles styles);
std::string_view style_sheet();  // all rules

// <name class="style">text</name>, with the text escaped; style may be empty.
std::string element(std::string_view name, std::string_view style, std::string_view text);
// <name class="style">html</name>, with the HTML as it is; style may be empty.
std::string enclose(std::string_view name, std::string_view style, std::string_view html);

// A line of facts: the first in bold, the others as quiet labels. Empty ones are left out.
std::string heading(std::string_view name, const std::vector<std::string>& facts);
std::string note(std::string_view text);
std::string warning(std::string_view text);

// A small bar, filled to `fraction` (0 to 1), with a label after it.
std::string meter(double fraction, std::string_view label);

// A bar of a chart, as long as the longest one at 1, with whiskers around its end.
struct Whiskers {
  double low = 0, high = 0;
};
std::string bar(double fraction, Whiskers whiskers);

// A line to click that unfolds the rest.
std::string folded(std::string_view summary, std::string_view html);

}  // namespace xcuda::display
