#include "display/image_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/base64.hpp"
#include "base/units.hpp"
#include "display/device_report.hpp"
#include "display/html.hpp"

namespace xcuda::display {
namespace {

constexpr std::uint32_t kComfortable = 320;  // pixels that the longer side of a small image is enlarged to, at most

constexpr std::uint32_t kVisible = 16;  // pixels that a row or column alone is stretched to

// Screen pixels of a pixel.
struct Zoom {
  std::uint32_t across = 1, down = 1;
};

Zoom zoom_of(const ImageView& image) {
  if (image.zoom) return {*image.zoom, *image.zoom};
  const auto width = std::max(image.raster.width, 1U), height = std::max(image.raster.height, 1U);
  const auto zoom = std::max(1U, kComfortable / std::max(width, height));
  const auto side = [&](std::uint32_t extent, std::uint32_t other) {
    return extent < other && extent * zoom < kVisible ? (kVisible + extent - 1) / extent : zoom;
  };
  return {side(width, height), side(height, width)};
}

bool is_colour(const ImageView& image) { return image.raster.channels > 1; }

Pixels enlarged(Pixels pixels, Zoom zoom) {
  if (zoom.across == 1 && zoom.down == 1) return pixels;
  Pixels large{pixels.width * zoom.across, pixels.height * zoom.down, pixels.channels, {}};
  large.samples.reserve(std::size_t{large.width} * large.height * large.channels);
  const std::size_t row = std::size_t{pixels.width} * pixels.channels;
  for (std::uint32_t y = 0; y < large.height; ++y)
    for (std::uint32_t x = 0; x < large.width; ++x)
      for (std::uint32_t c = 0; c < large.channels; ++c)
        large.samples.push_back(
            pixels.samples[y / zoom.down * row + std::size_t{x / zoom.across} * pixels.channels + c]);
  return large;
}

// The colours that the pixels have, after the one of NaN; the pixels are then numbers of these.
std::vector<Rgb> only_used(Pixels& pixels, const ColourTable& palette) {
  std::array<bool, 256> used{true};
  for (const auto sample : pixels.samples) used[sample] = true;
  std::array<std::uint8_t, 256> number{};
  std::vector<Rgb> colours;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    number[i] = static_cast<std::uint8_t>(colours.size());
    colours.push_back(palette[i]);
  }
  for (auto& sample : pixels.samples) sample = number[sample];
  return colours;
}

std::string reduction(const ImageView& image) { return fmt::format("{0} × {0} elements a pixel", image.reduced); }

// What the colours do not say; may be empty.
std::string remark(const ImageView& image) {
  const auto zoom = zoom_of(image);
  if (zoom.down > zoom.across) return fmt::format("rows are {} pixels high", zoom.down);
  if (zoom.across > zoom.down) return fmt::format("columns are {} pixels wide", zoom.across);
  return "";
}

// "3 NaN, transparent"; empty where there is none.
std::string holes(const ImageView& image) {
  if (is_colour(image)) return "";
  std::uint64_t nans = 0;
  for (const float value : image.raster.samples) nans += value != value ? 1 : 0;  // without branches
  if (nans == 0) return "";
  const auto count = format_count(nans);
  return image.reduced > 1 ? fmt::format("{} pixels of NaN only, transparent", count)
                           : fmt::format("{} NaN, transparent", count);
}

std::string facts(const ImageView& image, const std::string& gaps) {
  auto text =
      fmt::format("{}{}{}, {}", image.name, image.name.empty() ? "" : ": ", image.dtype, shape_text(image.shape));
  if (image.reduced > 1) text += ", " + reduction(image);
  for (const auto& more : {remark(image), gaps})
    if (!more.empty()) text += ", " + more;
  if (is_colour(image)) return text;
  const auto limits = limits_of(image);
  return text + fmt::format(", {} from {:.6g} to {:.6g}", name_of(image.map), limits.low, limits.high);
}

nlohmann::json image_json(const ImageView& image) {
  const auto limits = limits_of(image);
  nlohmann::json json = {{"schema", 1},
                         {"name", image.name},
                         {"dtype", image.dtype},
                         {"shape", image.shape},
                         {"width", image.raster.width},
                         {"height", image.raster.height},
                         {"channels", image.raster.channels},
                         {"reduced", image.reduced},
                         {"low", limits.low},
                         {"high", limits.high}};
  if (!is_colour(image)) json["colours"] = name_of(image.map);
  return json;
}

}  // namespace

Limits limits_of(const ImageView& image) {
  if (is_colour(image)) return {image.low.value_or(0), image.high.value_or(image.full)};
  if (image.low && image.high) return {*image.low, *image.high};
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  float low = kInfinity, high = -kInfinity;
  for (const float value : image.raster.samples) {  // without branches: there are a million
    const bool finite = value - value == 0;
    low = finite & (value < low) ? value : low;
    high = finite & (value > high) ? value : high;
  }
  Limits limits = low <= high ? Limits{low, high} : Limits{};
  if (image.map == ColourMap::coolwarm && limits.low < 0 && limits.high > 0) {
    limits.high = std::max(-limits.low, limits.high);
    limits.low = -limits.high;
  }
  return {image.low.value_or(limits.low), image.high.value_or(limits.high)};
}

std::vector<std::byte> image_png(const ImageView& image, Shades shades) {
  const auto& raster = image.raster;
  const auto limits = limits_of(image);
  Pixels pixels{raster.width, raster.height, raster.channels, {}};
  pixels.samples.resize(raster.samples.size());
  if (is_colour(image)) {
    std::transform(raster.samples.begin(), raster.samples.end(), pixels.samples.begin(),
                   [&](float value) { return std::isnan(value) ? std::uint8_t{0} : limits.index(value); });
    return encode_png(enlarged(std::move(pixels), zoom_of(image)));
  }
  // 255 steps and NaN. A multiplication for each of a million pixels, not a division.
  const bool flat = !(limits.high > limits.low);
  const auto scale = static_cast<float>(flat ? 0 : 254 / (limits.high - limits.low));
  const auto low = static_cast<float>(flat ? 0 : limits.low), start = flat ? 128.0F : 1.5F;
  std::transform(raster.samples.begin(), raster.samples.end(), pixels.samples.begin(), [&](float value) {
    if (std::isnan(value)) return std::uint8_t{0};
    const float step = flat ? start : (value - low) * scale + start;
    return static_cast<std::uint8_t>(step < 1 ? 1.0F : step > 255 ? 255.0F : step);
  });
  ColourTable palette = colours_of(image.map);
  for (std::size_t i = 255; i > 0; --i) palette[i] = colours_of(image.map)[(i - 1) * 255 / 254];
  if (shades == Shades::all) return encode_png(enlarged(std::move(pixels), zoom_of(image)), palette);
  const auto colours = only_used(pixels, palette);
  return encode_png(enlarged(std::move(pixels), zoom_of(image)), colours);
}

std::string image_text(const ImageView& image, std::size_t columns) {
  static constexpr std::string_view kShades[] = {" ", "░", "▒", "▓", "█"};
  const auto& raster = image.raster;
  if (raster.width == 0 || raster.height == 0) return "";
  const std::size_t wide = std::min<std::size_t>(columns, raster.width);
  // A character is about twice as high as wide.
  const std::size_t high = std::max<std::size_t>(1, std::size_t{raster.height} * wide / raster.width / 2);
  const auto limits = limits_of(image);
  std::string text;
  for (std::size_t row = 0; row < std::min<std::size_t>(high, 48); ++row) {
    std::string line;
    for (std::size_t column = 0; column < wide; ++column) {
      const auto y = (2 * row + 1) * raster.height / (2 * high), x = (2 * column + 1) * raster.width / (2 * wide);
      const auto* sample = &raster.samples[(y * raster.width + x) * raster.channels];
      const float level = raster.channels == 1 ? *sample : 0.299F * sample[0] + 0.587F * sample[1] + 0.114F * sample[2];
      line += std::isnan(level) ? " " : kShades[limits.index(level) * std::size(kShades) / 256];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += (text.empty() ? "" : "\n") + line;
  }
  return text;
}

Bundle image_bundle(const ImageView& image) { return image_bundle(image, image_png(image)); }

Bundle image_bundle(const ImageView& image, std::span<const std::byte> png) {
  Bundle bundle = text_bundle(image_text(image));
  bundle.data["image/png"] = base64(png);
  bundle.data[kImageMime] = image_json(image);
  bundle.metadata["image/png"] = {{"width", image.raster.width * zoom_of(image).across},
                                  {"height", image.raster.height * zoom_of(image).down},
                                  {"alt", "image of " + facts(image, holes(image))}};
  return bundle;
}

Bundle legend_bundle(const ImageView& image) {
  const auto gaps = holes(image);
  Bundle bundle = text_bundle(facts(image, gaps));
  std::vector<std::string> texts = {image.dtype, shape_text(image.shape)};
  if (image.reduced > 1) texts.push_back(reduction(image));
  texts.push_back(remark(image));
  texts.push_back(gaps);
  auto html = heading(image.name, texts);
  if (!is_colour(image)) {
    const auto limits = limits_of(image);
    const bool flat = !(limits.low < limits.high);  // one colour, which is that of the middle
    html += fmt::format("<div class=\"xc-scale\" title=\"{}\">{}<i style=\"background:linear-gradient(to right",
                        name_of(image.map), element("span", "", fmt::format("{:.6g}", limits.low)));
    for (std::size_t i = 0; i < 256; i += 15) html += "," + hexadecimal(colours_of(image.map)[flat ? 128 : i]);
    html += ")\"></i>" +
            (flat ? element("span", "", "everywhere")
                  : element("span", "xc-sep", " to ") + element("span", "", fmt::format("{:.6g}", limits.high))) +
            "</div>";
  }
  bundle.data[kHtmlMime] = html_output(html);
  return bundle;
}

}  // namespace xcuda::display
