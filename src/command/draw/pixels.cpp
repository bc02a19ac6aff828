#include "command/draw/pixels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command/draw/drawing.hpp"
#include "display/device_report.hpp"

namespace xcuda::command {
namespace {

constexpr std::uint64_t kWhole = 2 << 20;  // pixels of an image that is shown as it is
constexpr std::uint64_t kSide = 1024;      // of the longer side of one that is not

// An array as rows of pixels: where its samples are.
TileRule layout_of(Invocation& call, session::Pointer& array, const cell::Word& word) {
  const auto wrong = [&](std::string message) {
    return call.error(ErrorKind::type, fmt::format("{} cannot show {}: {}", call.title(), word.text, message), word);
  };
  auto shape = array.shape;
  if (array.type.lanes > 1) {  // float4, uchar3: the members are the channels
    if (shape.size() != 2)
      throw wrong(fmt::format("an image of {} needs two dimensions, but this has {}", array.type.name, shape.size()))
          .advise(shape.size() > 2 ? fmt::format("Take a part: {}[0].", word.text)
                                   : fmt::format("Give it rows: %image reshape({}, 1, -1).", word.text));
    shape.push_back(static_cast<std::uint64_t>(array.type.lanes));
    array.type = type_of(array.type.scalar);
    array.shape = shape;
  }
  if (shape.size() == 1)
    throw wrong("it has one dimension").advise(fmt::format("%plot {} draws it as a line.", word.text));
  if (shape.size() > 3)
    throw wrong(fmt::format("it has {} dimensions", shape.size()))
        .advise(fmt::format("Take a part: {}[0].", word.text));
  const auto is_channels = [](std::uint64_t extent) { return extent == 1 || extent == 3 || extent == 4; };
  if (shape.size() == 3 && is_channels(shape[2])) {
    const auto channels = shape[2];
    return {shape[1], shape[0], channels, channels, shape[1] * channels, 1, 1};
  }
  if (shape.size() == 3) {  // planes, as networks keep them
    if (!is_channels(shape[0]))
      throw wrong(fmt::format("a third dimension must hold 1, 3 or 4 colours, but {} has no such extent",
                              display::shape_text(shape)))
          .advise(fmt::format("Show one plane: {}[0].", word.text));
    return {shape[2], shape[1], shape[0], 1, shape[2], shape[1] * shape[2], 1};
  }
  return {shape[1], shape[0], 1, 1, shape[1], 1, 1};
}

}  // namespace

display::ImageView image_of(Invocation& call, session::Pointer array, const cell::Word& word, std::uint64_t side) {
  display::ImageView image{.name = drawn_name(array, word), .dtype = dtype_name(array.type), .shape = array.shape};
  auto rule = layout_of(call, array, word);
  const auto longer = std::max(rule.width, rule.height);
  const bool whole = rule.width * rule.height <= kWhole && longer <= 4 * kSide && side == 0;
  if (!whole) rule.side = (longer + (side == 0 ? kSide : side) - 1) / (side == 0 ? kSide : side);
  image.reduced = static_cast<std::uint32_t>(rule.side);
  image.raster = arrays::tiles(call.session.operations(), array, rule);
  if (array.type.is_integer() && array.type.scalar != Scalar::boolean) image.full = array.type.size == 1 ? 255 : 65535;
  if (const auto name = call.arguments.text("--cmap")) image.map = *display::find_colour_map(*name);
  image.low = call.arguments.number("--vmin");
  image.high = call.arguments.number("--vmax");
  if (image.low && image.high && !(*image.low < *image.high))
    throw call
        .error(ErrorKind::value, fmt::format("--vmin {} is not less than --vmax {}", *image.low, *image.high),
               *call.arguments.word("--vmax"))
        .advise("--vmin is the value of the first colour, --vmax that of the last: exchange them, or leave one out.");
  // Looked for once: text, picture, scale and facts want them.
  const auto limits = display::limits_of(image);
  image.low = limits.low;
  image.high = limits.high;
  if (const auto zoom = call.arguments.integer("--zoom")) {
    const auto pixels = std::max(image.raster.width, image.raster.height) * static_cast<std::uint64_t>(*zoom);
    if (*zoom > 64 || pixels > 8 * kSide)
      throw call
          .error(ErrorKind::value, fmt::format("--zoom {} makes an image of {} pixels a side", *zoom, pixels),
                 *call.arguments.word("--zoom"))
          .advise(fmt::format("The zoom is at most 64, the image {} pixels.", 8 * kSide));
    image.zoom = static_cast<std::uint32_t>(*zoom);
  }
  return image;
}

}  // namespace xcuda::command
