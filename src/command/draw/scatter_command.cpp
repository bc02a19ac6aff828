// %scatter
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.hpp"
#include "command/draw/drawing.hpp"
#include "command/draw/drawing_options.hpp"
#include "command/draw/lines.hpp"
#include "command/examples.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

constexpr std::uint64_t kDots = 4000;             // of a scatter plot that is drawn as it is
constexpr std::uint64_t kAcross = 144, kUp = 88;  // cells of a density map: 4 pixels wide and high
constexpr double kShades = 63;                    // of its colours; more are noise, which is most of a picture's bytes

// Very many points: how many there are in each cell of pixels. One alone is seen as well as a thousand.
display::CellMap density(Invocation& call, const session::PointCells& points) {
  const auto counts = arrays::cell_counts(call.session.operations(), points);
  const auto wide = points.across.bins, high = points.up.bins;
  display::CellMap map{.meaning = display::CellMap::Meaning::counts};
  map.image.raster = {static_cast<std::uint32_t>(wide), static_cast<std::uint32_t>(high), 1,
                      std::vector<float>(counts.size())};
  std::uint64_t most = 1;
  for (std::uint64_t row = 0; row < high; ++row)
    for (std::uint64_t column = 0; column < wide; ++column) {
      const auto count = counts[(high - 1 - row) * wide + column];
      most = std::max(most, count);
      map.image.raster.samples[row * wide + column] =
          count == 0 ? std::nanf("") : static_cast<float>(std::log10(static_cast<double>(count)));
    }
  map.image.zoom = 1;
  map.image.high = std::max(std::log10(static_cast<double>(most)), 1e-3);
  const auto shade = static_cast<float>(*map.image.high / kShades);
  for (auto& sample : map.image.raster.samples) sample = std::round(sample / shade) * shade;
  map.image.low = -0.25 * *map.image.high;  // one point alone is not of the darkest colour
  map.left = points.across.low;
  map.right = points.across.high;
  map.bottom = points.up.low;
  map.top = points.up.high;
  return map;
}

// The limits of an axis as bins of pixels; values that are all the same are in the middle.
BinRule bins_between(session::Range range, std::uint64_t bins) {
  const display::Axis axis(display::Scale::linear, range.low, range.high,
                           range.low < range.high ? display::Axis::Room::none : display::Axis::Room::some);
  return {axis.low(), axis.high(), bins, 0};
}

void run_scatter(Invocation& call) {
  call.expect_operands(2, 2);
  const auto& words = call.arguments.operands;
  const auto x = row_at(call, words[0]), y = row_at(call, words[1]);
  expect_same_length(call, x, words[0], y, words[1]);
  Chart chart{.mark = Chart::Mark::points, .x_label = drawn_name(x, words[0]), .y_label = drawn_name(y, words[1])};
  label(call, chart);
  const auto count = elements_of(x);
  if (count <= kDots) {
    chart.series.push_back({.x = arrays::real_elements(call.session.operations(), x),
                            .y = arrays::real_elements(call.session.operations(), y)});
    note_hidden(chart);
    return show_picture(call, chart);
  }
  if (call.arguments.has("--logx") || call.arguments.has("--logy"))
    throw call
        .error(ErrorKind::unsupported,
               fmt::format("a density map of {} points has linear axes only", format_count(count)), words[0])
        .advise(fmt::format("With up to {} points, axes can be logarithmic.", format_count(kDots)));
  const auto across = arrays::range_of(call.session.operations(), x),
             up = arrays::range_of(call.session.operations(), y);
  if (!across || !up)
    throw call
        .error(ErrorKind::value,
               fmt::format("{} and {} have no points to draw: no element of {} is finite", words[0].text, words[1].text,
                           words[across ? 1 : 0].text),
               words[across ? 1 : 0])
        .advise("Every element is NaN or infinite: look for the statement that wrote them.");
  chart.mark = Chart::Mark::cells;
  chart.cells = density(call, {x, y, bins_between(*across, kAcross), bins_between(*up, kUp)});
  chart.notes.push_back(fmt::format("{} points: the colour shows how many are at a place", format_count(count)));
  show_picture(call, chart);
}

}  // namespace

Command scatter_command() {
  return {
      .name = "scatter",
      .operand = Operand::arrays,
      .usage = "%scatter x y",
      .summary = "Draw the points of two arrays",
      .details = "Up to 4,000 points are drawn one by one, more as a density map.",
      .options = {kTitle, kXLabel, kYLabel, kLogX, kLogY, kSaveChart, kId},
      .setup = kSamplesSetup,
      .example = "%scatter a b\n",
      .run = run_scatter,
  };
}

}  // namespace xcuda::command
