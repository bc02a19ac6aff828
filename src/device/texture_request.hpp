// What a texture or surface object is made of.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/ids.hpp"

namespace xcuda::device {

enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };
enum class FilterMode : std::uint8_t { point, linear };
enum class ReadMode : std::uint8_t { element, normalized_float };
struct TextureRequest {
  TextureId id{};
  Address address = 0;                             // of an array, row by row
  std::uint64_t width = 0, height = 0, depth = 0;  // elements; 0 for dimensions that are not there
  std::uint64_t layers = 0;                        // of one or two dimensions each; 0: not layered
  std::uint64_t row_bytes = 0;                     // from a row to the next, where rows have gaps; 0: they have none
  int channels = 1, channel_bits = 32;             // 1, 2 or 4; per channel
  enum class Channel : std::uint8_t { signed_integer, unsigned_integer, floating } channel = Channel::floating;
  AddressMode address_mode[3] = {AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  FilterMode filter = FilterMode::point;
  ReadMode read = ReadMode::element;
  bool normalized_coordinates = false;
  bool gather = false;   // may be given to tex2Dgather
  bool surface = false;  // a surface object instead of a texture object

  int dimensions() const { return depth > 0 ? 3 : height > 0 ? 2 : 1; }
  std::uint64_t element_bytes() const { return static_cast<std::uint64_t>(channels * channel_bits / 8); }
  std::uint64_t rows() const { return std::max<std::uint64_t>(height, 1); }
  std::uint64_t slices() const { return std::max({depth, layers, std::uint64_t{1}}); }
  std::uint64_t pitch() const { return row_bytes > 0 ? row_bytes : width * element_bytes(); }
  std::uint64_t bytes() const { return (rows() * slices() - 1) * pitch() + width * element_bytes(); }
};

}  // namespace xcuda::device
