// What a texture or surface object is made of, and how a launch is given one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "device/ids.hpp"

namespace xcuda::device {

enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };
enum class FilterMode : std::uint8_t { point, linear };
enum class ReadMode : std::uint8_t { element, normalized_float };
enum class Cube : std::uint8_t { none, one, layers };
struct TextureRequest {
  TextureId id{};
  Address address = 0;                             // of an array, row by row
  std::uint64_t width = 0, height = 0, depth = 0;  // elements; 0 for dimensions that are not there
  std::uint64_t layers = 0;                        // of one or two dimensions each, faces too; 0: not layered
  Cube cube = Cube::none;                          // six layers for each: +x, -x, +y, -y, +z, -z
  std::vector<Address> smaller;  // levels of a mipmap after the first: arrays half as wide, high and deep, and so on
  std::uint64_t row_bytes = 0;   // from a row to the next, where rows have gaps; 0: they have none
  int channels = 1, channel_bits = 32;  // 1, 2 or 4; per channel
  enum class Channel : std::uint8_t { signed_integer, unsigned_integer, floating } channel = Channel::floating;
  AddressMode address_mode[3] = {AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  FilterMode filter = FilterMode::point;
  ReadMode read = ReadMode::element;
  bool normalized_coordinates = false;
  bool gather = false;                          // may be given to tex2Dgather
  bool surface = false;                         // a surface object instead of a texture object
  bool srgb = false;                            // bytes of colours; the fourth channel is linear
  bool seamless = false;                        // a linear filter of a cube map goes on in the next face
  std::uint32_t border[4] = {};                 // bits of what AddressMode::border gives
  FilterMode level_filter = FilterMode::point;  // between levels
  float level_bias = 0, least_level = 0, most_level = 0;
  std::uint32_t anisotropy = 1;  // at most this many samples along a footprint

  // Of a cube map those of a face.
  int dimensions() const { return depth > 0 ? 3 : height > 0 ? 2 : 1; }
  std::uint64_t element_bytes() const { return static_cast<std::uint64_t>(channels * channel_bits / 8); }
  std::uint64_t rows() const { return std::max<std::uint64_t>(height, 1); }
  std::uint64_t slices() const { return std::max({depth, layers, std::uint64_t{1}}); }
  std::uint64_t pitch() const { return row_bytes > 0 ? row_bytes : width * element_bytes(); }
  std::uint64_t bytes() const { return (rows() * slices() - 1) * pitch() + width * element_bytes(); }
  // Of one level: 0 is the first.
  std::uint64_t extent_of(std::uint64_t extent, std::size_t level) const {
    return extent == 0 ? 0 : std::max<std::uint64_t>(extent >> level, 1);
  }
  std::uint64_t level_bytes(std::size_t level) const {
    if (level == 0) return bytes();
    return extent_of(width, level) * element_bytes() * std::max<std::uint64_t>(extent_of(height, level), 1) *
           std::max({extent_of(depth, level), layers, std::uint64_t{1}});
  }
};

// What a texture has: "two dimensions", "layers of one dimension".
inline std::string_view shape_name(const TextureRequest& texture) {
  if (texture.cube != Cube::none)
    return texture.cube == Cube::one ? "the six faces of a cube" : "layers of six faces of a cube";
  if (texture.layers > 0) return texture.height > 0 ? "layers of two dimensions" : "layers of one dimension";
  return texture.depth > 0 ? "three dimensions" : texture.height > 0 ? "two dimensions" : "one dimension";
}

// Where a launch is given a texture: the device writes the handle there. Whether it reads the array's own memory or a
// copy that is brought up to date before the launch is the device's affair; what a surface wrote is in the array after
// it. A GPU reads elements by their number (tex1Dfetch) through an object of its own.
enum class TextureUse : std::uint8_t { sampled, fetched };
struct TextureArgument {
  TextureId texture{};
  std::uint32_t offset = 0;  // of the arguments
  TextureUse use = TextureUse::sampled;
};

}  // namespace xcuda::device
