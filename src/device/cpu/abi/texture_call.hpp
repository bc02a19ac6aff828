// Textures and surfaces: the description of an instruction's access, as a number for Service::texture. A handle is not
// an address, so that a wrong one is an error.
#pragma once

#include <cstdint>

#include "device/device.hpp"

namespace xcuda::device::cpu {

enum class TextureAction : std::uint8_t { sample, fetch, gather, query, load, store, reduce };
enum class TextureShape : std::uint8_t {
  line,
  plane,
  volume,
  lines,
  planes,
  cube,
  cubes
};                                                                // .1d .2d .3d .a1d .a2d ...
enum class TextureBoundary : std::uint8_t { trap, clamp, zero };  // of surfaces
enum class TextureQuery : std::uint8_t {
  width,
  height,
  depth,
  layers,
  levels,
  samples,
  channel_type,
  channel_order,
  normalized,
};

// Which level of a mipmap: the first, the one that is named, or what the coordinates' gradients ask for. The level, or
// both gradients, come after the coordinates.
enum class TextureLevel : std::uint8_t { first, named, gradient };

struct TextureCall {
  TextureAction action = TextureAction::sample;
  TextureShape shape = TextureShape::line;
  TextureBoundary boundary = TextureBoundary::trap;
  TextureQuery query = TextureQuery::width;
  std::uint8_t type = 0;  // ptx::Type of what is read or written
  std::uint8_t components = 4;
  std::uint8_t coordinates = 0;
  std::uint8_t component = 0;   // of a gather
  std::uint16_t operation = 0;  // of a reduction: a ptx::Modifier
  TextureLevel level = TextureLevel::first;
  std::uint8_t spare = 0;
  std::uint16_t padding[2] = {};
};
static_assert(sizeof(TextureCall) == 16);

// Registers of a call lie one after the other, results first: lane l of register r is the 64-bit word 32 * r + l.
constexpr std::uint64_t kWordsOfTextureRegister = 32;

constexpr std::uint64_t kTextureHandles = 0x7e78'0000'0000'0000;
constexpr std::uint64_t texture_handle(TextureId id) { return kTextureHandles | static_cast<std::uint32_t>(id); }

// 1 to 3, without the layer.
inline int coordinates_of(TextureShape shape) {
  switch (shape) {
    case TextureShape::line:
    case TextureShape::lines: return 1;
    case TextureShape::plane:
    case TextureShape::planes: return 2;
    case TextureShape::volume:
    case TextureShape::cube:
    case TextureShape::cubes: break;
  }
  return 3;
}

inline bool is_layered(TextureShape shape) {
  return shape == TextureShape::lines || shape == TextureShape::planes || shape == TextureShape::cubes;
}

// That an instruction must have to read it.
inline TextureShape shape_of(const TextureRequest& texture) {
  if (texture.cube != Cube::none) return texture.cube == Cube::one ? TextureShape::cube : TextureShape::cubes;
  if (texture.layers > 0) return texture.height > 0 ? TextureShape::planes : TextureShape::lines;
  return texture.depth > 0 ? TextureShape::volume : texture.height > 0 ? TextureShape::plane : TextureShape::line;
}

}  // namespace xcuda::device::cpu
