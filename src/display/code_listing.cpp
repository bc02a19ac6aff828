#include "display/code_listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "base/units.hpp"
#include "display/html.hpp"
#include "display/palette.hpp"

namespace xcuda::display {
namespace {

constexpr std::size_t kShort = 16;  // instructions that need no folding

std::string source_text(std::string_view source, int line, std::string_view what) {
  if (line == 0) return "for no line of a cell";
  return fmt::format("{}:{}{}{}", source, line, what.empty() ? "" : "  ", what);
}

// Instructions in a row that are for one line.
struct Run {
  std::size_t begin = 0, end = 0;  // rows; labels belong to what follows them
  std::size_t line = 0;            // of Listing::lines
};

struct SourceLine {
  std::string source;
  int number = 0;
  std::string what;
  std::size_t instructions = 0;
  std::string text() const { return source_text(source, number, what); }
};

struct Listing {
  std::vector<SourceLine> lines;  // in the order of the cells, those for no line at the end
  std::vector<Run> runs;          // in the order of the code
};

Listing listing_of(const CodeRows& rows) {
  using Key = std::tuple<bool, std::string, int, std::string>;  // the first one puts those for no line at the end
  const auto key_of = [](const CodeRow& row) { return Key{row.line == 0, row.source, row.line, row.what}; };
  std::map<Key, std::size_t> found;
  for (const auto& row : rows)
    if (row.kind == CodeRow::Kind::instruction) ++found[key_of(row)];
  Listing listing;
  std::map<Key, std::size_t> numbers;
  for (const auto& [key, count] : found) {
    numbers[key] = listing.lines.size();
    listing.lines.push_back({std::get<1>(key), std::get<2>(key), std::get<3>(key), count});
  }
  for (std::size_t i = 0; i < rows.size();) {
    auto first = i;  // the labels in front
    while (first < rows.size() && rows[first].kind == CodeRow::Kind::label) ++first;
    if (first == rows.size()) break;
    const auto line = numbers[key_of(rows[first])];
    auto end = first;
    while (end < rows.size() && rows[end].kind == CodeRow::Kind::instruction && numbers[key_of(rows[end])] == line)
      ++end;
    listing.runs.push_back({i, end, line});
    i = end;
  }
  return listing;
}

std::string colour_of(const Listing& listing, std::size_t line) {
  if (listing.lines[line].number == 0) return "#808080";
  return std::string(series_colour(line % 8));
}

std::string side(const Listing& listing, std::size_t line) {
  return fmt::format("<i class=\"xc-side\" style=\"background:{}\"></i>", colour_of(listing, line));
}

std::string link(std::string_view to, std::string_view text) {
  return fmt::format("<a class=\"xc-link\" href=\"#{}\">{}</a>", to, html_escape(text));
}

enum class Fold : std::uint8_t { closed, open };
std::string fold(std::string_view id, std::string_view summary, std::string_view body, Fold state) {
  return fmt::format("<details id=\"{}\"{}><summary>{}</summary>{}</details>", id, state == Fold::open ? " open" : "",
                     summary, body);
}

// Code that was compiled without line numbers has nothing to be grouped by.
bool has_lines(const CodeRows& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const CodeRow& row) { return row.line > 0; });
}

std::string count_text(std::size_t instructions) {
  return fmt::format("{} instruction{}", format_count(instructions), instructions == 1 ? "" : "s");
}

}  // namespace

StyledText listing_text(const CodeRows& rows) {
  StyledText out;
  std::string last;
  const bool commented = has_lines(rows);
  for (const auto& row : rows) {
    if (commented && row.kind == CodeRow::Kind::instruction)
      if (auto text = source_text(row.source, row.line, row.what); text != last) {
        out.add(Style::advice, "// " + text).line();
        last = std::move(text);
      }
    out.append(row.text).line();
  }
  return out;
}

std::string listing_html(const CodeRows& rows, std::string_view title) {
  if (!has_lines(rows)) return enclose("pre", "xc-block", listing_text(rows).html());
  const auto listing = listing_of(rows);
  std::size_t instructions = 0;
  for (const auto& line : listing.lines) instructions += line.instructions;
  const auto name = fmt::format("xc-{:08x}", std::hash<std::string_view>{}(title)&0xffffffff);
  const auto line_id = [&](std::size_t line) { return fmt::format("{}-l{}", name, line); };
  const auto run_id = [&](std::size_t run) { return fmt::format("{}-r{}", name, run); };
  const auto row_html = [&](std::size_t row, std::size_t line) {
    return side(listing, line) + rows[row].text.html() + "\n";
  };

  std::string html;
  for (std::size_t line = 0; line < listing.lines.size(); ++line) {
    const auto& source = listing.lines[line];
    std::string body;
    for (std::size_t run = 0; run < listing.runs.size(); ++run) {
      if (listing.runs[run].line != line) continue;
      body += link(run_id(run), "in order") + "\n";
      for (auto row = listing.runs[run].begin; row < listing.runs[run].end; ++row)
        if (rows[row].kind == CodeRow::Kind::instruction) body += row_html(row, line);
    }
    html += fold(line_id(line),
                 side(listing, line) + element("code", "", source.text()) + " " +
                     element("span", "xc-fact", count_text(source.instructions)),
                 enclose("pre", "xc-block", body), instructions <= kShort ? Fold::open : Fold::closed);
  }
  std::string whole;
  for (std::size_t run = 0; run < listing.runs.size(); ++run) {
    const auto& [begin, end, line] = listing.runs[run];
    const auto& source = listing.lines[line];
    whole += fmt::format("<span id=\"{}\"></span>", run_id(run)) + link(line_id(line), "// " + source.text()) + "\n";
    for (auto row = begin; row < end; ++row) whole += row_html(row, line);
  }
  return html + fold(name, html_escape(fmt::format("all {} in order", count_text(instructions))),
                     enclose("pre", "xc-block", whole), Fold::closed);
}

}  // namespace xcuda::display
