// %image
#include <fmt/format.h>

#include "command/draw/drawing.hpp"
#include "command/draw/drawing_options.hpp"
#include "command/draw/pixels.hpp"
#include "command/examples.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

void run_image(Invocation& call) {
  call.expect_operands(1, 1);
  const auto& word = call.arguments.operands[0];
  const auto side = static_cast<std::uint64_t>(call.arguments.integer("--size").value_or(0));
  const auto image = image_of(call, array_at(call, word), word, side);
  show_picture(call, image);
}

}  // namespace

Command image_command() {
  return {
      .name = "image",
      .operand = Operand::array,
      .usage = "%image x",
      .summary = "Show an array as an image",
      .details =
          "Rows of the array are rows of pixels. Numbers are coloured from the least to the greatest; NaN is "
          "transparent. A third dimension of 3 or 4, first or last, and elements such as uchar4 and float3 are red, "
          "green, blue and opacity: from 0 to 255 for bytes, from 0 to 1 for floating point. Parts of arrays and "
          "expressions work, too: %image volume[5], %image u[::2, 0:96] > 0. Small arrays are enlarged; in large ones "
          "each pixel is the mean of a square of elements, computed on the device.",
      .options = {kColours,
                  kLeast,
                  kGreatest,
                  {.name = "--zoom",
                   .type = OptionType::integer,
                   .value = "N",
                   .help = "screen pixels along each side of a pixel",
                   .minimum = 1},
                  {.name = "--size",
                   .type = OptionType::integer,
                   .value = "N",
                   .help = "most pixels along the longer side (1024 for arrays of over 2 M elements)",
                   .minimum = 1},
                  kSaveImage,
                  kId},
      .setup = kWaveSetup,
      .example = "%image u --cmap coolwarm --save wave.png\n",
      .run = run_image,
  };
}

}  // namespace xcuda::command
