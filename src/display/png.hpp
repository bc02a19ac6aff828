// PNG files in memory, written small and fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "display/colour_map.hpp"

namespace xcuda::display {

// Rows of 8-bit samples. channels: 1 (gray), 3 (RGB), 4 (RGBA); with a palette 1, and each sample is an index of it.
struct Pixels {
  std::uint32_t width = 0, height = 0, channels = 1;
  std::vector<std::uint8_t> samples;
};

// Index 0 of the palette of a mapped image means NaN and is transparent.
std::vector<std::byte> encode_png(const Pixels& pixels);
std::vector<std::byte> encode_png(const Pixels& pixels, std::span<const Rgb> palette);

}  // namespace xcuda::display
