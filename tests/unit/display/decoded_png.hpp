// A PNG file in memory, read whole, for tests of those who write one.
#pragma once

#include <vector>

#include "files/png_reader.hpp"

namespace xcuda::display {

struct DecodedPng {
  std::uint32_t width = 0, height = 0, channels = 1, bits = 8;
  std::vector<std::byte> samples;
};

inline DecodedPng decoded(std::span<const std::byte> file) {
  files::PngReader reader(file, "x.png");
  DecodedPng image{reader.width(), reader.height(), reader.channels(), reader.bits(), {}};
  image.samples.resize(std::size_t{image.width} * image.height * image.channels * image.bits / 8);
  reader.read(image.samples);
  return image;
}

}  // namespace xcuda::display
