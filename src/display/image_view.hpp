// An array as a picture: numbers through a colour map, or red, green, blue and opacity themselves.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "display/bundle.hpp"
#include "display/colour_map.hpp"
#include "display/png.hpp"

namespace xcuda::display {

// Rows of samples. channels 1: numbers for a colour map; 3 or 4: colours.
struct Raster {
  std::uint32_t width = 0, height = 0, channels = 1;
  std::vector<float> samples;
};

struct ImageView {
  std::string name;                  // "u"
  std::string dtype;                 // of the array: "float32"
  std::vector<std::uint64_t> shape;  // of the array
  Raster raster;
  std::uint32_t reduced = 1;  // elements along each side of a pixel, which shows their mean
  ColourMap map = ColourMap::viridis;
  std::optional<double> low, high;    // limits; otherwise those of the samples, of a diverging map around zero
  double full = 1;                    // what 100 % of a colour is: 255 for bytes
  std::optional<std::uint32_t> zoom;  // screen pixels along each side of a pixel; otherwise small images are enlarged
};

Limits limits_of(const ImageView& image);  // of the finite samples; 0 to 1 without any
// The palette: frames of an animation share all colours of the map; another picture has only those that it uses.
enum class Shades : std::uint8_t { all, used };
std::vector<std::byte> image_png(const ImageView& image, Shades shades = Shades::all);
Bundle image_bundle(const ImageView& image);
Bundle image_bundle(const ImageView& image, std::span<const std::byte> png);  // what image_png() gives, made before
Bundle legend_bundle(const ImageView& image);  // the legend below it: the array, the scale of colours

// A few lines of characters from dark to light, for a terminal.
std::string image_text(const ImageView& image, std::size_t columns = 64);

}  // namespace xcuda::display
