// %hist
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/units.hpp"
#include "command/draw/drawing.hpp"
#include "command/draw/drawing_options.hpp"
#include "command/draw/lines.hpp"
#include "command/examples.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

constexpr std::int64_t kMostBins = 4096;

Error nothing_to_count(const Invocation& call, display::Scale scale) {
  const auto& first = call.arguments.operands[0];
  if (scale == display::Scale::logarithmic)
    return call.error(ErrorKind::value, "there is nothing to count: no element is finite and above 0", first)
        .advise("A logarithmic axis has no place for 0 and less: leave --logx out.");
  return call.error(ErrorKind::value, "there is nothing to count: no element is finite", first)
      .advise("Every element is NaN or infinite: look for the statement that wrote them.");
}

void run_hist(Invocation& call) {
  call.expect_operands(1, kMostSeries);
  Chart chart{.mark = Chart::Mark::bars, .y_label = "count"};
  label(call, chart);
  std::vector<Line> arrays;
  for (const auto& word : call.arguments.operands) {
    const auto array = row_at(call, word);
    arrays.push_back({drawn_name(array, word), array, std::nullopt});
  }
  take_labels(call, arrays);
  // All arrays have the same bins, so that their heights can be compared.
  std::optional<session::Range> range;
  for (const auto& array : arrays)
    if (const auto own = arrays::range_of(call.session.operations(), array.y, drawn(chart.x_scale)))
      range = range ? session::Range{std::min(range->low, own->low), std::max(range->high, own->high)} : *own;
  if (!range) throw nothing_to_count(call, chart.x_scale);
  const auto bins = call.arguments.integer("--bins").value_or(50);
  if (bins > kMostBins)
    throw call
        .error(ErrorKind::value, fmt::format("--bins takes at most {}, not {}", format_count(kMostBins), bins),
               *call.arguments.word("--bins"))
        .advise("A chart has about 600 columns of pixels: --bins 600 shows all that it can.");
  const bool integers =
      std::all_of(arrays.begin(), arrays.end(), [](const Line& array) { return array.y.type.is_integer(); });
  BinRule rule{range->low, range->high, static_cast<std::uint64_t>(bins),
               chart.x_scale == display::Scale::logarithmic ? 1U : 0U};
  if (integers && !call.arguments.has("--bins") && range->high - range->low < 100 &&
      rule.logarithmic == 0)  // one bin for each value
    rule = {range->low - 0.5, range->high + 0.5, static_cast<std::uint64_t>(range->high - range->low) + 1, 0};
  if (!(rule.low < rule.high)) {
    const auto spread = display::Axis(display::Scale::linear, rule.low, rule.high, display::Axis::Room::none);
    rule.low = spread.low();
    rule.high = spread.high();
  }
  std::vector<double> edges;
  for (std::uint64_t i = 0; i <= rule.bins; ++i) {
    const double at = static_cast<double>(i) / static_cast<double>(rule.bins);
    edges.push_back(rule.logarithmic != 0 ? rule.low * std::pow(rule.high / rule.low, at)
                                          : rule.low * (1 - at) + rule.high * at);
  }
  for (const auto& array : arrays) {
    const auto counts = arrays::bin_counts(call.session.operations(), array.y, rule);
    const auto shown = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    chart.series.push_back({.label = arrays.size() > 1 || call.arguments.has("--labels") ? array.label : "",
                            .x = edges,
                            .y = {counts.begin(), counts.end()}});
    if (shown < elements_of(array.y))
      chart.notes.push_back(fmt::format(
          "{}: {} element{} not counted: NaN, infinite{}", array.label, format_count(elements_of(array.y) - shown),
          elements_of(array.y) - shown == 1 ? " is" : "s are", rule.logarithmic != 0 ? " or not above 0" : ""));
  }
  if (arrays.size() == 1 && !call.arguments.has("--xlabel")) chart.x_label = arrays[0].label;
  show_picture(call, chart);
}

}  // namespace

Command hist_command() {
  return {
      .name = "hist",
      .operand = Operand::arrays,
      .usage = "%hist x ...",
      .summary = "Draw how often values occur in arrays",
      .details = "Several arrays share their bins. Integers of a small range get a bin for each value.",
      .options = {{.name = "--bins",
                   .type = OptionType::integer,
                   .value = "N",
                   .help = "bins of equal width (50)",
                   .minimum = 1},
                  kLabels,
                  kTitle,
                  kXLabel,
                  kYLabel,
                  kLogX,
                  kLogY,
                  kSaveChart,
                  kId},
      .setup = kSamplesSetup,
      .example = "%hist a b --bins 40\n",
      .run = run_hist,
  };
}

}  // namespace xcuda::command
