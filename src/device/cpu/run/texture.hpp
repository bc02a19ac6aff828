// The sampler that answers Service::texture.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/cpu/abi/texture_call.hpp"

namespace xcuda::device::cpu {

// 32 bits for each channel: a float where the texture gives floats, else an integer.
using Texel = std::array<std::uint32_t, 4>;

bool gives_floats(const TextureRequest& texture);

// Where the elements are that were read, for --race and --init.
using TextureReads = std::vector<const std::byte*>;

// One level of a texture's mipmap.
struct TextureImage {
  const TextureRequest* texture = nullptr;
  Address address = 0;
  std::uint64_t width = 0, height = 0, depth = 0, pitch = 0;
  std::uint64_t rows() const { return height > 0 ? height : 1; }
};
TextureImage image_of(const TextureRequest& texture, std::size_t level);

struct TexturePoint {
  std::uint32_t layer = 0;
  float at[3] = {};  // of a cube map the direction
};
// As the texture's filter says; of a cube map, the layer is the face, and `at` in the face.
Texel sample_image(const TextureImage& image, const TexturePoint& point, TextureReads& reads);

// What chooses the level: its number, or how fast each coordinate changes from a pixel to the next, in two directions.
struct TextureDetail {
  TextureLevel kind = TextureLevel::first;
  float level = 0;
  float gradient[2][3] = {};
};
Texel sample(const TextureRequest& texture, const TexturePoint& point, const TextureDetail& detail,
             TextureReads& reads);
// One channel of the four elements that a linear filter would mix, counter-clockwise from the lower left.
Texel gather(const TextureRequest& texture, const TexturePoint& point, unsigned channel, TextureReads& reads);

struct TexturePlace {
  std::uint32_t layer = 0;
  std::int32_t at[3] = {};
};
// Fetches an element; gives zeros outside the texture.
Texel fetch(const TextureRequest& texture, const TexturePlace& place, TextureReads& reads);

std::uint32_t answer(const TextureRequest& texture, TextureQuery query);

// A place on a cube: the face, and where in it, from 0 to 1.
struct FacePoint {
  std::uint32_t face = 0;
  float at[2] = {};
};
FacePoint face_point(const float (&direction)[3]);
// The way round, for what lies beyond the face's edge, too.
std::array<float, 3> direction_of(const FacePoint& point);
// How fast the place in that face changes where the direction changes by `gradient`.
std::array<float, 2> face_gradient(const float (&direction)[3], std::uint32_t face, const float (&gradient)[3]);

}  // namespace xcuda::device::cpu
