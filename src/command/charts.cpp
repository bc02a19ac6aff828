// %plot, %scatter, %hist
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.hpp"
#include "base/units.hpp"
#include "command/families.hpp"
#include "command/pictured.hpp"

namespace xcuda::command {
namespace {

using display::Chart;
using display::Series;
using session::Among;
using session::Pointer;

constexpr std::uint64_t kColumns = 620;          // of pixels, in a chart
constexpr std::uint64_t kPoints = 4 * kColumns;  // of a line that is drawn as it is
constexpr std::uint64_t kDots = 4000;            // of a scatter plot that is drawn as it is
constexpr std::size_t kMostSeries = 10;          // colours
constexpr std::int64_t kMostBins = 4096;

// One line: the values over x, or over the index.
struct Line {
  std::string label;
  Pointer y;
  std::optional<Pointer> x;
};

Among drawn(display::Scale scale) { return scale == display::Scale::logarithmic ? Among::over_zero : Among::all; }

Series series_of(Invocation& call, const Line& line, Chart& chart) {
  const auto count = elements_of(line.y);
  Series series{.label = line.label};
  if (count <= kPoints) {
    series.y = arrays::real_elements(call.session.operations(), line.y);
    if (line.x)
      series.x = arrays::real_elements(call.session.operations(), *line.x);
    else {
      series.x.resize(count);
      std::iota(series.x.begin(), series.x.end(), chart.x_scale == display::Scale::logarithmic ? 1.0 : 0.0);
    }
    return series;
  }
  // The least and the greatest of each pixel column, and the ends: the line covers the same pixels.
  auto indices = arrays::extremes(call.session.operations(), line.y, kColumns, drawn(chart.y_scale));
  if (line.x) {
    const auto more = arrays::extremes(call.session.operations(), *line.x, kColumns, drawn(chart.x_scale));
    indices.insert(indices.end(), more.begin(), more.end());
  }
  indices.push_back(0);
  indices.push_back(count - 1);
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  series.y = arrays::elements_at(call.session.operations(), line.y, indices);
  if (line.x)
    series.x = arrays::elements_at(call.session.operations(), *line.x, indices);
  else
    for (const auto i : indices)
      series.x.push_back(static_cast<double>(i) + (chart.x_scale == display::Scale::logarithmic ? 1 : 0));
  const auto note =
      fmt::format("{} points: the least and the greatest of each column of pixels are drawn", format_count(count));
  if (chart.notes.empty()) chart.notes.push_back(note);
  return series;
}

void note_hidden(Chart& chart) {
  std::uint64_t hidden = 0;
  for (const auto& series : chart.series)
    for (std::size_t i = 0; i < series.y.size(); ++i)
      if ((chart.x_scale == display::Scale::logarithmic && series.x[i] <= 0) ||
          (chart.y_scale == display::Scale::logarithmic && series.y[i] <= 0))
        ++hidden;
  if (hidden > 0)
    chart.notes.push_back(fmt::format("{} point{} at or below 0 {} no place on a logarithmic axis",
                                      format_count(hidden), hidden == 1 ? "" : "s", hidden == 1 ? "has" : "have"));
}

std::optional<Pointer> x_of(Invocation& call) {
  const auto word = call.arguments.word("--x");
  return word ? std::optional(row_at(call, *word)) : std::nullopt;
}

void expect_same_length(Invocation& call, const Pointer& a, const cell::Word& a_word, const Pointer& b,
                        const cell::Word& b_word) {
  if (elements_of(a) == elements_of(b)) return;
  throw call
      .error(ErrorKind::value,
             fmt::format("{} has {} elements, and {} has {}", a_word.text, format_count(elements_of(a)), b_word.text,
                         format_count(elements_of(b))),
             b_word)
      .advise("Each point takes one of both: slice the longer one.");
}

// --labels "first,second"
void take_labels(Invocation& call, std::vector<Line>& lines) {
  const auto given = call.arguments.word("--labels");
  if (!given) return;
  std::vector<std::string> labels;
  for (std::size_t at = 0; at <= given->text.size();) {
    const auto end = std::min(given->text.find(',', at), given->text.size());
    labels.emplace_back(trim(std::string_view(given->text).substr(at, end - at)));
    at = end + 1;
  }
  if (labels.size() != lines.size())
    throw call
        .error(ErrorKind::value,
               fmt::format("--labels names {} line{}, and {} {} drawn", labels.size(), labels.size() == 1 ? "" : "s",
                           lines.size(), lines.size() == 1 ? "is" : "are"),
               *given)
        .advise("Separate them by commas: --labels \"before,after\".");
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].label = labels[i];
}

// An array of two dimensions is a line for each row.
std::vector<Line> lines_of(Invocation& call, const std::optional<Pointer>& x) {
  std::vector<Line> lines;
  for (const auto& word : call.arguments.operands) {
    auto array = array_at(call, word);
    if (array.type.lanes > 1 || array.shape.size() > 2)
      throw call
          .error(
              ErrorKind::type,
              fmt::format("%plot draws arrays of one or two dimensions, and {} is {}", word.text, array_title(array)),
              word)
          .advise(fmt::format("Take a part: {}[0].", word.text));
    const auto rows = array.shape.size() == 2 ? array.shape[0] : 1;
    if (lines.size() + rows > kMostSeries)
      throw call
          .error(ErrorKind::value,
                 fmt::format("%plot draws at most {} lines, and {} has {} rows", kMostSeries, word.text, rows), word)
          .advise(fmt::format("Take some: {}[0:{}]; or %heatmap {}.", word.text, kMostSeries, word.text));
    const auto length = array.shape.back();
    for (std::uint64_t row = 0; row < rows; ++row) {
      auto line = array;
      line.shape = {length};
      line.address += row * length * array.type.size;
      if (x) expect_same_length(call, *x, *call.arguments.word("--x"), line, word);
      const auto name = drawn_name(array, word);
      lines.push_back({rows > 1 ? fmt::format("{}[{}]", name, row) : name, line, x});
    }
  }
  return lines;
}

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
  map.image.low = -0.25 * *map.image.high;  // one point alone is not of the darkest colour
  map.left = points.across.low;
  map.right = points.across.high;
  map.bottom = points.up.low;
  map.top = points.up.high;
  return map;
}

// The limits of an axis as bins of pixels; values that are all the same stand in the middle.
BinRule bins_between(session::Range range, std::uint64_t bins) {
  const display::Axis axis(display::Scale::linear, range.low, range.high,
                           range.low < range.high ? display::Axis::Room::none : display::Axis::Room::some);
  return {axis.low(), axis.high(), bins, 0};
}

}  // namespace

void run_plot(Invocation& call) {
  call.expect_operands(1, kMostSeries);
  Chart chart;
  label(call, chart);
  const auto x = x_of(call);
  auto lines = lines_of(call, x);
  take_labels(call, lines);
  if (lines.size() == 1 && !call.arguments.has("--labels")) {
    if (!call.arguments.has("--ylabel")) chart.y_label = lines[0].label;
    lines[0].label.clear();
  }
  if (x && !call.arguments.has("--xlabel")) chart.x_label = call.arguments.word("--x")->text;
  chart.whole_x = !x;
  for (const auto& line : lines) chart.series.push_back(series_of(call, line, chart));
  note_hidden(chart);
  show_picture(call, chart);
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
        .error(
            ErrorKind::unsupported,
            fmt::format("{} points are drawn as a map of their density, and that has linear axes", format_count(count)),
            words[0])
        .advise(fmt::format("Up to {} points have logarithmic ones.", format_count(kDots)));
  const auto across = arrays::range_of(call.session.operations(), x),
             up = arrays::range_of(call.session.operations(), y);
  if (!across || !up)
    throw call.error(
        ErrorKind::value,
        fmt::format("{} and {} have no points to draw: no element is finite", words[0].text, words[1].text), words[0]);
  chart.mark = Chart::Mark::cells;
  chart.cells = density(call, {x, y, bins_between(*across, 260), bins_between(*up, 160)});
  chart.notes.push_back(fmt::format("{} points: the colour says how many stand at a place", format_count(count)));
  show_picture(call, chart);
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
  // The same bins for all, so that their heights can be compared.
  std::optional<session::Range> range;
  for (const auto& array : arrays)
    if (const auto own = arrays::range_of(call.session.operations(), array.y, drawn(chart.x_scale)))
      range = range ? session::Range{std::min(range->low, own->low), std::max(range->high, own->high)} : *own;
  if (!range)
    throw call.error(ErrorKind::value, "there is nothing to count: no element is finite", call.arguments.operands[0]);
  const auto bins = call.arguments.integer("--bins").value_or(50);
  if (bins > kMostBins)
    throw call.error(ErrorKind::value, fmt::format("--bins takes at most {}", kMostBins),
                     *call.arguments.word("--bins"));
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
          elements_of(array.y) - shown == 1 ? " is" : "s are", rule.logarithmic != 0 ? " or not over 0" : ""));
  }
  if (arrays.size() == 1 && !call.arguments.has("--xlabel")) chart.x_label = arrays[0].label;
  show_picture(call, chart);
}

}  // namespace xcuda::command
