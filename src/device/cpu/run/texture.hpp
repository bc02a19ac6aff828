// The sampler that answers Service::texture.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "device/cpu/abi/texture_call.hpp"

namespace xcuda::device::cpu {

// 32 bits for each channel: a float where the texture gives floats, else an integer.
using Texel = std::array<std::uint32_t, 4>;

bool gives_floats(const TextureRequest& texture);

// Where the elements are that were read, for --race and --init.
struct TextureReads {
  std::array<const std::byte*, 8> elements{};
  std::uint32_t count = 0;
};

struct TexturePoint {
  std::uint32_t layer = 0;
  float at[3] = {};
};
Texel sample(const TextureRequest& texture, const TexturePoint& point, TextureReads& reads);
// One channel of the four elements that a linear filter would mix, counter-clockwise from the lower left.
Texel gather(const TextureRequest& texture, const TexturePoint& point, unsigned channel, TextureReads& reads);

struct TexturePlace {
  std::uint32_t layer = 0;
  std::int32_t at[3] = {};
};
// Zeros where there is no element.
Texel fetch(const TextureRequest& texture, const TexturePlace& place, TextureReads& reads);

std::uint32_t answer(const TextureRequest& texture, TextureQuery query);

}  // namespace xcuda::device::cpu
