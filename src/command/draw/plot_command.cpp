// %plot
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/units.hpp"
#include "command/draw/drawing.hpp"
#include "command/draw/drawing_options.hpp"
#include "command/draw/lines.hpp"
#include "command/examples.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

constexpr std::uint64_t kColumns = 310;          // of a chart, as wide as a line is thick
constexpr std::uint64_t kPoints = 8 * kColumns;  // of a line that is drawn as it is

// Half the lengths of error bars. NaN has no bar.
std::vector<double> lengths_of(Invocation& call, const Pointer& errors) {
  auto lengths = arrays::real_elements(call.session.operations(), errors);
  const auto negative = std::find_if(lengths.begin(), lengths.end(), [](double length) { return length < 0; });
  if (negative == lengths.end()) return lengths;
  const auto word = *call.arguments.word("--error");
  throw call
      .error(ErrorKind::value,
             fmt::format("an error bar cannot be shorter than 0, but {}[{}] is {:.6g}", word.text,
                         negative - lengths.begin(), *negative),
             word)
      .advise(fmt::format("--error \"abs({})\" draws them all.", word.text));
}

Series series_of(Invocation& call, const Line& line, Chart& chart) {
  const auto count = elements_of(line.y);
  Series series{.label = line.label};
  if (count <= kPoints) {
    series.y = arrays::real_elements(call.session.operations(), line.y);
    if (line.error) series.error = lengths_of(call, *line.error);
    if (line.x)
      series.x = arrays::real_elements(call.session.operations(), *line.x);
    else {
      series.x.resize(count);
      std::iota(series.x.begin(), series.x.end(), chart.x_scale == display::Scale::logarithmic ? 1.0 : 0.0);
    }
    return series;
  }
  if (line.error)
    throw call
        .error(ErrorKind::value,
               fmt::format("%plot draws error bars of at most {} points, but {} has {}", format_count(kPoints),
                           line.label, format_count(count)),
               *call.arguments.word("--error"))
        .advise("Plot a part, or every tenth element: %plot y[::10] --error e[::10].");
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
  const auto note = fmt::format("{} points: the chart shows the least and the greatest in each of {} columns",
                                format_count(count), kColumns);
  if (chart.notes.empty()) chart.notes.push_back(note);
  return series;
}

std::optional<Pointer> x_of(Invocation& call) {
  const auto word = call.arguments.word("--x");
  return word ? std::optional(row_at(call, *word)) : std::nullopt;
}

// The errors, in the shape of the one array that is drawn.
std::optional<Pointer> errors_of(Invocation& call, const Pointer& array) {
  const auto word = call.arguments.word("--error");
  if (!word) return std::nullopt;
  auto errors = array_at(call, *word);
  if (call.arguments.operands.size() > 1)
    throw call.error(ErrorKind::value, "--error is for one array, but several are drawn", *word)
        .advise("Draw the rows of an array of two dimensions, with the errors in another of the same shape.");
  if (errors.shape != array.shape || errors.type.lanes > 1)
    throw call
        .error(ErrorKind::value,
               fmt::format("{} is {}, but {} is {}", word->text, array_title(errors), call.arguments.operands[0].text,
                           array_title(array)),
               *word)
        .advise("Each point needs one error: half the length of its bar.");
  return errors;
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
              fmt::format("%plot draws arrays of one or two dimensions, but {} is {}", word.text, array_title(array)),
              word)
          .advise(fmt::format("Take a part: {}[0].", word.text));
    const auto rows = array.shape.size() == 2 ? array.shape[0] : 1;
    if (lines.size() + rows > kMostSeries)
      throw call
          .error(ErrorKind::value,
                 fmt::format("%plot draws at most {} lines, but {} has {} rows", kMostSeries, word.text, rows), word)
          .advise(fmt::format("Plot fewer, {}[0:{}], or use %heatmap {}.", word.text, kMostSeries, word.text));
    const auto length = array.shape.back();
    const auto errors = errors_of(call, array);
    for (std::uint64_t row = 0; row < rows; ++row) {
      auto line = array;
      line.shape = {length};
      line.address += row * length * array.type.size;
      if (x) expect_same_length(call, *x, *call.arguments.word("--x"), line, word);
      const auto name = drawn_name(array, word);
      lines.push_back({rows > 1 ? fmt::format("{}[{}]", name, row) : name, line, x, std::nullopt});
      if (!errors) continue;
      lines.back().error = *errors;
      lines.back().error->shape = {length};
      lines.back().error->address += row * length * errors->type.size;
    }
  }
  return lines;
}

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

}  // namespace

Command plot_command() {
  return {
      .name = "plot",
      .operand = Operand::arrays,
      .usage = "%plot y ...",
      .summary = "Draw arrays as lines",
      .details =
          "Each array is a line over its index, or over the array of --x; an array of two dimensions is a line for "
          "each row. Expressions work, too: %plot sin(t) a[0:100] * 2. Of an array with more than 2,480 elements, the "
          "chart shows the least and the greatest in each of 310 columns: no peak is lost.",
      .options = {{.name = "--x", .type = OptionType::text, .value = "ARRAY", .help = "the horizontal coordinates"},
                  {.name = "--error",
                   .type = OptionType::text,
                   .value = "ARRAY",
                   .help = "a bar at each point, from y - e to y + e"},
                  kLabels,
                  kTitle,
                  kXLabel,
                  kYLabel,
                  kLogX,
                  kLogY,
                  kSaveChart,
                  kId},
      .setup = kSamplesSetup,
      .example = "%plot a[0:200] b[0:200] --labels \"first,second\" --title \"Two samples\"\n",
      .run = run_plot,
  };
}

}  // namespace xcuda::command
