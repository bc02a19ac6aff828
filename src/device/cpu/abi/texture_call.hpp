// Textures and surfaces: what an instruction says of its access, as a number for Service::texture. A handle is not an
// address, so that a wrong one is an error.
#pragma once

#include <cstdint>

#include "device/device.hpp"

namespace xcuda::device::cpu {

enum class TextureAction : std::uint8_t { sample, fetch, gather, query, load, store, reduce };
enum class TextureShape : std::uint8_t { line, plane, volume, lines, planes };  // .1d .2d .3d .a1d .a2d
enum class TextureBoundary : std::uint8_t { trap, clamp, zero };                // of surfaces
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
  std::uint16_t padding[3] = {};
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
    case TextureShape::volume: break;
  }
  return 3;
}

inline bool is_layered(TextureShape shape) { return shape == TextureShape::lines || shape == TextureShape::planes; }

}  // namespace xcuda::device::cpu
