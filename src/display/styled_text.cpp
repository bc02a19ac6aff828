#include "display/styled_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/control_characters.hpp"
#include "base/text.hpp"
#include "display/html.hpp"

namespace xcuda::display {
namespace {

struct Look {
  std::string_view ansi, html;
};
// Words have no colour but the page's: none has a contrast of 4.5 with JupyterLab's backgrounds of errors in both of
// its themes (docs/decisions/colours.md). Carets, which are signs and not words, need one of 3.
Look look_of(Style style) {
  switch (style) {
    case Style::normal: return {"", ""};
    case Style::strong: return {"\x1b[1m", "xc-name"};
    case Style::error: return {"\x1b[1m", "xc-bad"};
    case Style::warning: return {"\x1b[1m", "xc-warn"};
    case Style::note: return {"\x1b[1m", "xc-name"};
    case Style::place: return {"\x1b[4m", "xc-mark"};
    case Style::gutter: return {"\x1b[2m", "xc-quiet"};
    case Style::advice: return {"\x1b[1m", "xc-mark"};
    case Style::error_mark: return {"\x1b[1;38;5;196m", "xc-bad"};
    case Style::warning_mark: return {"\x1b[1;38;5;164m", "xc-warn"};
  }
  return {};
}

Style mark_of(Style style) {
  return style == Style::error ? Style::error_mark : style == Style::warning ? Style::warning_mark : style;
}

// Where a character starts at or before byte i, at most 3 bytes before it: the text may not be UTF-8.
std::size_t character_start(std::string_view text, std::size_t i) {
  i = std::min(i, text.size());
  const auto least = i - std::min<std::size_t>(i, 3);
  while (i > least && i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) --i;
  return i;
}

}  // namespace

StyledText& StyledText::add(Style style, std::string_view text) {
  if (!text.empty()) pieces_.push_back({style, std::string(text)});
  return *this;
}

StyledText& StyledText::append(const StyledText& other) {
  pieces_.insert(pieces_.end(), other.pieces_.begin(), other.pieces_.end());
  return *this;
}

std::string StyledText::text(Colours colours) const {
  std::string out;
  for (const auto& piece : pieces_) {
    const auto colour = colours == Colours::ansi ? look_of(piece.style).ansi : "";
    if (colour.empty()) {
      out += show_controls(piece.text);
      continue;
    }
    const auto shown = show_controls(piece.text);
    for (std::size_t at = 0; at < shown.size();) {
      const auto end = std::min(shown.find('\n', at), shown.size());
      if (end > at) out.append(colour).append(shown, at, end - at).append("\x1b[0m");
      if (end < shown.size()) out += '\n';
      at = end + 1;
    }
  }
  return valid_utf8(out);
}

// Lines of one style that come one after the other are one element.
std::string StyledText::html() const {
  std::string out, run, gap;
  std::string_view style;
  const auto end_run = [&] {
    out += style.empty() ? html_escape(run) : element("span", style, run);
    out += gap;
    run.clear();
    gap.clear();
  };
  for (const auto& piece : pieces_) {
    const auto look = look_of(piece.style).html;
    if (look.empty() && trim(piece.text).empty()) {
      gap += piece.text;
      continue;
    }
    if (run.empty() || look != style) {
      if (!run.empty() || !gap.empty()) end_run();
      style = look;
    }
    run += gap + piece.text;
    gap.clear();
  }
  end_run();
  return out;
}

Bundle listing_bundle(std::string_view title, const StyledText& text, const std::vector<std::string>& facts) {
  std::string plain(title);
  for (const auto& fact : facts) plain += ", " + fact;
  Bundle bundle = text_bundle(plain + "\n\n" + text.text(Colours::none));
  bundle.data[kHtmlMime] = html_output(heading(title, facts) + enclose("pre", "xc-block", text.html()));
  return bundle;
}

std::string place_text(const Place& place) {
  std::string text = place.source.starts_with("/In[") ? place.source.substr(1) : place.source;
  if (place.line <= 0) return text;
  text += (text.empty() ? "line " : ":") + std::to_string(place.line);
  return place.column > 0 ? text + ":" + std::to_string(place.column) : text;
}

StyledText styled_excerpt(const Place& place, Style marks) {
  StyledText text;
  std::string_view line = place.excerpt;
  if (trim(line).empty()) return text;

  // A long line is cut to a window around the place.
  constexpr std::size_t kBefore = 80, kWidest = 140;
  std::size_t column =
      place.column > 0 ? std::min<std::size_t>(static_cast<std::size_t>(place.column) - 1, line.size()) : 0;
  std::string_view before, after;
  if (line.size() > kWidest && column > kBefore) {
    const auto cut = character_start(line, column - kBefore);
    line.remove_prefix(cut);
    column -= cut;
    before = "…";
  }
  if (line.size() > kWidest) {
    line = line.substr(0, character_start(line, kWidest));
    after = "…";
  }
  const auto number = place.line > 0 ? std::to_string(place.line) : std::string();
  text.add(Style::gutter, fmt::format("{:>4} | ", number)).add(before).add(line).add(after).line();
  if (place.column <= 0) return text;

  // Tabs stay tabs so that the carets are below what they mark, however wide a client draws them.
  std::string padding(before.empty() ? "" : " ");
  for (const char c : line.substr(0, column))
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) padding += c == '\t' ? '\t' : ' ';
  const auto marked = line.substr(column, static_cast<std::size_t>(std::max(place.width, 1)));
  const auto width = std::max<std::size_t>(1, code_points_of_bytes(marked, marked.size()));
  text.add(Style::gutter, "     | ").add(padding).add(mark_of(marks), "^" + std::string(width - 1, '~')).line();
  return text;
}

StyledText styled_place(const Place& place) {
  StyledText text;
  if (const auto where = place_text(place); !where.empty()) text.add(Style::place, where).line();
  return text.append(styled_excerpt(place, Style::error));
}

void labelled(StyledText& text, Style style, std::string_view label, std::string_view body) {
  text.add(style, fmt::format("{}: ", label));
  bool first = true;
  for (const auto line : split_lines(body)) {
    if (!first) text.add(std::string(label.size() + 2, ' '));
    text.add(line).line();
    first = false;
  }
}

}  // namespace xcuda::display
