// %heatmap
#include <fmt/format.h>

#include <algorithm>

#include "command/draw/drawing.hpp"
#include "command/draw/drawing_options.hpp"
#include "command/draw/pixels.hpp"
#include "command/examples.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

constexpr std::uint64_t kHeatmapSide = 480;  // pixels: a chart is not larger

// What draws an array that is not a matrix of numbers.
std::string advice_for(const session::Pointer& array, const cell::Word& word) {
  if (array.shape.size() > 2) return fmt::format("Draw one plane: %heatmap {}[0].", word.text);
  return fmt::format("%{} {} draws it.", array.type.lanes > 1 ? "image" : "plot", word.text);
}

void run_heatmap(Invocation& call) {
  call.expect_operands(1, 1);
  const auto& word = call.arguments.operands[0];
  const auto array = array_at(call, word);
  if (array.shape.size() != 2 || array.type.lanes > 1)
    throw call
        .error(ErrorKind::type,
               fmt::format("%heatmap takes an array of two dimensions, but {} is {}", word.text, array_title(array)),
               word)
        .advise(advice_for(array, word));
  auto image = image_of(call, array, word, std::max(array.shape[0], array.shape[1]) > kHeatmapSide ? kHeatmapSide : 0);
  image.zoom = 1;
  display::Chart chart{.mark = display::Chart::Mark::cells, .title = drawn_name(array, word)};
  chart.whole_x = chart.whole_y = true;
  if (image.reduced > 1)
    chart.notes.push_back(
        fmt::format("{}: each cell is the mean of {} × {} elements", array_title(array), image.reduced, image.reduced));
  const auto high = static_cast<double>(array.shape[0]), wide = static_cast<double>(array.shape[1]);
  chart.cells = display::CellMap{.image = std::move(image), .left = 0, .right = wide, .bottom = high, .top = 0};
  label(call, chart);
  show_picture(call, chart);
}

}  // namespace

Command heatmap_command() {
  return {
      .name = "heatmap",
      .operand = Operand::array,
      .usage = "%heatmap x",
      .summary = "Draw an array of two dimensions as coloured cells, with axes and a scale of colours",
      .options = {kColours, kLeast, kGreatest, kTitle, kXLabel, kYLabel, kSaveChart, kId},
      .setup = kWaveSetup,
      .example = "%heatmap u --cmap magma --xlabel x --ylabel y\n",
      .run = run_heatmap,
  };
}

}  // namespace xcuda::command
