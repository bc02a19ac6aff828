#include "display/chart/occupancy_chart.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "display/figures.hpp"
#include "display/readable_name.hpp"
#include "display/table.hpp"

namespace xcuda::display {
namespace {

// What limits a size; nothing where every warp has a place.
std::string limiter_of(const device::Occupancy& occupancy) {
  return occupancy.fraction >= 0.995 ? "full"
         : occupancy.limiter.empty() ? "unknown"
                                     : "limited by " + occupancy.limiter;
}

double best_of(const OccupancyView& view) {
  double best = 0;
  for (const auto& row : view.rows) best = std::max(best, row.occupancy.fraction);
  return best;
}

// "64, 128, 256": the sizes that reach the best; several are a range where they follow each other.
std::string best_sizes(const OccupancyView& view) {
  const double best = best_of(view);
  std::string text;
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    if (view.rows[i].occupancy.fraction < best) continue;
    auto last = i;
    while (last + 1 < view.rows.size() && view.rows[last + 1].occupancy.fraction >= best) ++last;
    text += text.empty() ? "" : ", ";
    text += last > i + 1 ? fmt::format("{} to {}", view.rows[i].block_threads, view.rows[last].block_threads)
                         : std::to_string(view.rows[i].block_threads);
    if (last > i + 1) i = last;
  }
  return text;
}

bool is_usual(std::uint32_t threads) {
  static constexpr std::uint32_t kUsual[] = {32, 64, 128, 192, 256, 384, 512, 768, 1024};
  return std::find(std::begin(kUsual), std::end(kUsual), threads) != std::end(kUsual);
}

}  // namespace

Chart occupancy_chart(const OccupancyView& view) {
  Chart chart{.mark = Chart::Mark::bars,
              .title = fmt::format("Occupancy of {}", readable_name(view.kernel)),
              .x_label = "threads of a block",
              .y_label = "occupancy, %"};
  chart.notes.push_back("best: blocks of " + best_sizes(view));
  for (const auto& row : view.rows) {
    const auto limiter = limiter_of(row.occupancy);
    if (std::none_of(chart.series.begin(), chart.series.end(), [&](const Series& s) { return s.label == limiter; }))
      chart.series.push_back({.label = limiter});
  }
  constexpr double kHalf = kOccupancyStep / 2.0;
  for (auto& series : chart.series) {
    for (const auto& row : view.rows) {
      series.x.push_back(row.block_threads - kHalf);
      series.y.push_back(limiter_of(row.occupancy) == series.label ? row.occupancy.fraction * 100 : 0);
    }
    series.x.push_back(view.rows.back().block_threads + kHalf);
  }
  return chart;
}

Bundle occupancy_bundle(const OccupancyView& view) {
  const double best = best_of(view);
  Table table;
  table.columns = {{"block", Align::right},
                   {"blocks per SM", Align::right},
                   {"threads per SM", Align::right},
                   {"occupancy", Align::left}};
  auto json = nlohmann::json::array();
  for (const auto& row : view.rows) {
    const auto& occupancy = row.occupancy;
    auto entry = occupancy_json(occupancy);
    entry["block"] = row.block_threads;
    json.push_back(std::move(entry));
    if (!is_usual(row.block_threads)) continue;
    const auto blocks = static_cast<std::uint64_t>(occupancy.blocks_per_multiprocessor);
    table.rows.push_back({format_count(row.block_threads), format_count(blocks),
                          format_count(blocks * row.block_threads), occupancy_field(occupancy)});
  }
  table.notes.push_back(fmt::format("{} on {}: {} registers per thread, {} of shared memory per block",
                                    readable_name(view.kernel), view.device, view.registers,
                                    format_bytes(view.static_shared + view.dynamic_shared)));
  table.notes.push_back(fmt::format("best: {} with blocks of {}", percent(best), best_sizes(view)));
  auto bundle = table_bundle(table);
  bundle.data[kOccupancyMime] = {{"schema", 1},
                                 {"kernel", view.kernel},
                                 {"device", view.device},
                                 {"registers", view.registers},
                                 {"static_shared", view.static_shared},
                                 {"dynamic_shared", view.dynamic_shared},
                                 {"blocks", std::move(json)}};
  return bundle;
}

}  // namespace xcuda::display
