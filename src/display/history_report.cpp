#include "display/history_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "base/units.hpp"
#include "display/figures.hpp"
#include "display/html.hpp"
#include "display/table.hpp"

namespace xcuda::display {
namespace {

constexpr std::size_t kWidest = 60;  // characters of a cell's text

std::string cell_time(const CellTime& cell) {
  if (cell.outcome == CellTime::Outcome::running) return "running";
  const auto time = format_duration(static_cast<double>(cell.took));
  return cell.outcome == CellTime::Outcome::failed ? time + ", failed" : time;
}

std::string first_line(const CellTime& cell) {
  auto text = cell.text;
  if (code_points_of_bytes(text, text.size()) > kWidest)
    text = text.substr(0, bytes_of_code_points(text, kWidest - 1)) + "…";
  return cell.lines > 1 ? text + fmt::format("  (+{} line{})", format_count(cell.lines - 1), cell.lines == 2 ? "" : "s")
                        : text;
}

}  // namespace

std::string change_text(const CellTime& cell) {
  if (cell.before.empty() || cell.took <= 0 || cell.took_before <= 0 || cell.outcome != CellTime::Outcome::ran)
    return "";
  const auto now = static_cast<double>(cell.took), before = static_cast<double>(cell.took_before);
  if (std::abs(now - before) < 1e5 || std::abs(now / before - 1) < 0.02) return "as fast as " + cell.before;
  if (now > before)
    return now < 2 * before ? fmt::format("{:.0f} % slower than {}", (now / before - 1) * 100, cell.before)
                            : fmt::format("{} times as long as {}", format_ratio(now / before), cell.before);
  return before < 2 * now ? fmt::format("{:.0f} % faster than {}", (1 - now / before) * 100, cell.before)
                          : fmt::format("{} times as fast as {}", format_ratio(before / now), cell.before);
}

Bundle history_bundle(const std::vector<CellTime>& cells) {
  Table table;
  table.columns = {{"cell"},
                   {"time", Align::right},
                   {""},
                   {"compared with its last run"},
                   {"text", Align::left, Column::Kind::code}};
  double longest = 0;
  for (const auto& cell : cells) longest = std::max(longest, static_cast<double>(cell.took));
  auto json = nlohmann::json::array();
  static constexpr std::string_view kOutcomes[] = {"running", "ran", "failed"};
  for (const auto& cell : cells) {
    const double part = longest > 0 ? static_cast<double>(cell.took) / longest : 0;
    table.rows.push_back(
        {cell.name, cell_time(cell), Field(text_bar(part, 12), meter(part, "")), change_text(cell), first_line(cell)});
    nlohmann::json row = {{"cell", cell.name},
                          {"outcome", kOutcomes[static_cast<std::size_t>(cell.outcome)]},
                          {"time", cell.took},
                          {"text", cell.text}};
    if (!cell.before.empty()) row["before"] = {{"cell", cell.before}, {"time", cell.took_before}};
    json.push_back(std::move(row));
  }
  drop_empty_columns(table);
  auto bundle = table_bundle(table);
  bundle.data[kHistoryMime] = {{"schema", 1}, {"cells", std::move(json)}};
  return bundle;
}

}  // namespace xcuda::display
