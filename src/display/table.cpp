#include "display/table.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "display/html.hpp"

namespace xcuda::display {
namespace {

std::size_t width_of(std::string_view text) { return code_points_of_bytes(text, text.size()); }

std::string aligned(std::string_view text, std::size_t width, Align align) {
  const auto missing = width - std::min(width, width_of(text));
  const std::string blanks(missing, ' ');
  return align == Align::left ? std::string(text) + blanks : blanks + std::string(text);
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string style_of(const Column& column) {
  std::string style = column.align == Align::right ? "xc-num" : "";
  if (column.kind == Column::Kind::aligned) style += style.empty() ? "xc-code xc-pre" : " xc-code xc-pre";
  if (column.kind == Column::Kind::code) style += style.empty() ? "xc-code" : " xc-code";
  if (column.kind == Column::Kind::words) style += style.empty() ? "xc-words" : " xc-words";
  if (column.kind == Column::Kind::prose) style += style.empty() ? "xc-wrap" : " xc-wrap";
  return style;
}

enum class InRow : std::uint8_t { first, later };
std::string cell_html(std::string_view name, std::string_view style, const Field& field, InRow where) {
  // A browser that copies a table as text leaves out a first cell without text, and with it the column.
  if (where == InRow::first && field.text.empty() && field.html.empty()) return enclose(name, style, "&nbsp;");
  return field.html.empty() ? element(name, style, field.text) : enclose(name, style, field.html);
}
InRow place_in(std::string_view row) { return row.empty() ? InRow::first : InRow::later; }

}  // namespace

std::string table_text(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    widths.push_back(width_of(table.columns[c].title));
    for (const auto& row : table.rows)
      if (c < row.size()) widths.back() = std::max(widths.back(), width_of(row[c].text));
  }
  std::string text = table.title.empty() ? "" : table.title + "\n";
  const bool titled = std::any_of(table.columns.begin(), table.columns.end(),
                                  [](const Column& column) { return !column.title.empty(); });
  if (titled) {
    std::string titles, rule;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      titles += (c == 0 ? "" : "  ") + aligned(table.columns[c].title, widths[c], table.columns[c].align);
      if (c > 0) rule += "  ";
      for (std::size_t i = 0; i < widths[c]; ++i) rule += "─";
    }
    text += without_trailing_blanks(std::move(titles)) + "\n" + rule + "\n";
  }
  for (const auto& row : table.rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size() && c < widths.size(); ++c)
      line += (c == 0 ? "" : "  ") + aligned(row[c].text, widths[c], table.columns[c].align);
    text += without_trailing_blanks(std::move(line)) + "\n";
  }
  for (const auto& line : table.notes) text += line + "\n";
  for (const auto& line : table.warnings) text += "warning: " + line + "\n";
  if (!text.empty()) text.pop_back();
  return text;
}

void drop_empty_columns(Table& table) {
  for (std::size_t c = table.columns.size(); c-- > 0;) {
    const auto filled = [c](const std::vector<Field>& row) {
      return c < row.size() && !(row[c].text.empty() && row[c].html.empty());
    };
    if (std::any_of(table.rows.begin(), table.rows.end(), filled)) continue;
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(c));
    for (auto& row : table.rows)
      if (c < row.size()) row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
  }
}

std::string table_html(const Table& table) {
  std::string head, body;
  for (const auto& column : table.columns)
    head += cell_html("th", column.align == Align::right ? "xc-num" : "", {column.title}, place_in(head));
  for (const auto& row : table.rows) {
    std::string fields;
    for (std::size_t c = 0; c < row.size() && c < table.columns.size(); ++c) {
      fields += cell_html("td", style_of(table.columns[c]), row[c], place_in(fields));
    }
    body += enclose("tr", "", fields);
  }
  const bool titled = std::any_of(table.columns.begin(), table.columns.end(),
                                  [](const Column& column) { return !column.title.empty(); });
  std::string html = table.title.empty() ? "" : heading(table.title, {});
  html += enclose(
      "div", "xc-scroll",
      enclose("table", "", (titled ? enclose("thead", "", enclose("tr", "", head)) : "") + enclose("tbody", "", body)));
  for (const auto& line : table.notes) html += note(line);
  for (const auto& line : table.warnings) html += warning("⚠ " + line);
  return html;
}

Bundle table_bundle(const Table& table) {
  Bundle bundle = text_bundle(table_text(table));
  bundle.data[kHtmlMime] = html_output(table_html(table));
  return bundle;
}

}  // namespace xcuda::display
