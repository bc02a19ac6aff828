// The work of a GPU's texture units, after the CUDA C++ Programming Guide, "Texture Fetching": the weights of a linear
// filter are fixed-point numbers with 8 bits of fraction.
#include "device/cpu/run/texture.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/half.hpp"

namespace xcuda::device::cpu {
namespace {

constexpr std::int64_t kOutside = std::numeric_limits<std::int64_t>::min();
using Channel = TextureRequest::Channel;

// An axis of a level, and how coordinates beyond its edges are led back.
struct Axis {
  std::int64_t size = 1;
  AddressMode mode = AddressMode::clamp;
  bool normalized = false;
  bool goes_on = false;  // in the next face of a cube
};

Axis axis_of(const TextureImage& image, int dimension) {
  const TextureRequest& texture = *image.texture;
  const std::uint64_t sizes[] = {image.width, image.height, image.depth};
  Axis axis{static_cast<std::int64_t>(sizes[dimension]), texture.address_mode[dimension],
            texture.normalized_coordinates || texture.cube != Cube::none,
            texture.cube != Cube::none && texture.seamless};
  const bool repeats = axis.mode == AddressMode::wrap || axis.mode == AddressMode::mirror;
  if (repeats && !axis.normalized) axis.mode = AddressMode::clamp;
  return axis;
}

// In elements; finite, and far from what 64 bits hold.
double position(const Axis& axis, float coordinate) {
  if (std::isnan(coordinate)) return 0;
  constexpr float kMost = 1 << 30;
  float x = std::fmin(std::fmax(coordinate, -kMost), kMost);
  if (!axis.normalized) return x;
  if (axis.goes_on) return x * static_cast<float>(axis.size);
  const float whole = std::floor(x);
  if (axis.mode == AddressMode::wrap) x -= whole;
  if (axis.mode == AddressMode::mirror) x = std::fmod(whole, 2.0f) == 0 ? x - whole : 1 - (x - whole);
  return x * static_cast<float>(axis.size);
}

std::int64_t element(const Axis& axis, std::int64_t index) {
  if (index >= 0 && index < axis.size) return index;
  if (axis.goes_on) return std::clamp<std::int64_t>(index, -1, axis.size);
  switch (axis.mode) {
    case AddressMode::wrap: return (index % axis.size + axis.size) % axis.size;
    case AddressMode::border: return kOutside;
    case AddressMode::mirror:  // what is led back is at most one element off
    case AddressMode::clamp: break;
  }
  return index < 0 ? 0 : axis.size - 1;
}

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

std::uint32_t channel(const TextureRequest& texture, const std::byte* from) {
  std::uint32_t raw = 0;
  std::memcpy(&raw, from, static_cast<std::size_t>(texture.channel_bits) / 8);
  if (texture.channel == Channel::floating)
    return texture.channel_bits == 16 ? bits(half_to_float(static_cast<std::uint16_t>(raw))) : raw;
  const unsigned spare = 32u - static_cast<unsigned>(texture.channel_bits);
  const auto whole = static_cast<std::int32_t>(raw << spare) >> spare;
  const bool is_signed = texture.channel == Channel::signed_integer;
  if (!gives_floats(texture)) return is_signed ? static_cast<std::uint32_t>(whole) : raw;
  const auto most = static_cast<float>((std::uint32_t{1} << (texture.channel_bits - (is_signed ? 1 : 0))) - 1);
  return is_signed ? bits(std::fmax(static_cast<float>(whole) / most, -1.0f)) : bits(static_cast<float>(raw) / most);
}

// Of colours that are bytes: as linear light.
float linear_light(float value) {
  return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
}

// Channels that the array does not have are 0, 0 and 1.
Texel nothing(const TextureRequest& texture) {
  Texel texel{};
  if (texture.channels < 4) texel[3] = gives_floats(texture) ? bits(1.0f) : 1;
  return texel;
}

Texel border(const TextureRequest& texture) {
  Texel texel = nothing(texture);
  for (std::size_t c = 0; c < static_cast<std::size_t>(texture.channels); ++c) texel[c] = texture.border[c];
  return texel;
}

// Where an element beyond the edge of a face is.
void go_on(const TextureImage& image, std::uint64_t& slice, std::int64_t& x, std::int64_t& y) {
  const auto size = static_cast<std::int64_t>(image.width);
  if (x >= 0 && x < size && y >= 0 && y < size) return;
  const auto middle = [&](std::int64_t index) { return (static_cast<float>(index) + 0.5f) / static_cast<float>(size); };
  const auto to = direction_of({static_cast<std::uint32_t>(slice % 6), {middle(x), middle(y)}});
  const FacePoint there = face_point({to[0], to[1], to[2]});
  const auto index = [&](float at) {
    return std::clamp(static_cast<std::int64_t>(at * static_cast<float>(size)), std::int64_t{0}, size - 1);
  };
  slice = slice - slice % 6 + there.face;
  x = index(there.at[0]), y = index(there.at[1]);
}

Texel load(const TextureImage& image, std::uint64_t slice, std::int64_t x, std::int64_t y, TextureReads& reads) {
  const TextureRequest& texture = *image.texture;
  if (x == kOutside || y == kOutside) return border(texture);
  if (texture.seamless && texture.cube != Cube::none) go_on(image, slice, x, y);
  Texel texel = nothing(texture);
  const std::uint64_t row = slice * image.rows() + static_cast<std::uint64_t>(y);
  const auto* from = reinterpret_cast<const std::byte*>(image.address) + row * image.pitch +
                     static_cast<std::uint64_t>(x) * texture.element_bytes();
  reads.push_back(from);
  for (int c = 0; c < texture.channels; ++c) {
    auto& to = texel[static_cast<std::size_t>(c)];
    to = channel(texture, from + c * texture.channel_bits / 8);
    if (texture.srgb && c < 3) to = bits(linear_light(std::bit_cast<float>(to)));
  }
  return texel;
}

std::uint64_t layer_of(const TextureRequest& texture, std::uint32_t layer) {
  return texture.layers == 0 ? 0 : std::min<std::uint64_t>(layer, texture.layers - 1);
}

// The two elements that a linear filter mixes, and how much of the second.
struct Pair {
  std::int64_t first = 0, second = 0;
  float weight = 0;
};
Pair pair_at(const Axis& axis, float coordinate) {
  const auto fixed = static_cast<std::int64_t>(std::floor(position(axis, coordinate) * 256 + 0.5)) - 128;
  const std::int64_t index = fixed >> 8;
  return {element(axis, index), element(axis, index + 1), static_cast<float>(fixed & 255) / 256};
}

Texel mixed(const Texel& a, const Texel& b, float weight) {
  Texel texel{};
  for (std::size_t i = 0; i < texel.size(); ++i)
    texel[i] = bits((1 - weight) * std::bit_cast<float>(a[i]) + weight * std::bit_cast<float>(b[i]));
  return texel;
}

// What has no weight is not read.
Texel linear(const TextureImage& image, const TexturePoint& point, TextureReads& reads) {
  const TextureRequest& texture = *image.texture;
  const int dimensions = texture.dimensions();
  Pair pairs[3];
  for (int i = 0; i < dimensions; ++i) pairs[i] = pair_at(axis_of(image, i), point.at[i]);
  const auto row = [&](std::uint64_t slice, std::int64_t y) {
    const Texel first = load(image, slice, pairs[0].first, y, reads);
    return pairs[0].weight == 0 ? first : mixed(first, load(image, slice, pairs[0].second, y, reads), pairs[0].weight);
  };
  const auto plane = [&](std::uint64_t slice) {
    if (dimensions == 1) return row(slice, 0);
    const Texel first = row(slice, pairs[1].first);
    return pairs[1].weight == 0 ? first : mixed(first, row(slice, pairs[1].second), pairs[1].weight);
  };
  if (dimensions < 3) return plane(layer_of(texture, point.layer));
  const auto volume = [&](std::int64_t z) {
    return z == kOutside ? border(texture) : plane(static_cast<std::uint64_t>(z));
  };
  const Texel first = volume(pairs[2].first);
  return pairs[2].weight == 0 ? first : mixed(first, volume(pairs[2].second), pairs[2].weight);
}

// --- Levels of a mipmap ----------------------------------------------------------------------------------------------

// The level and how many samples along the longer gradient, from the gradients in elements of the first level.
struct Footprint {
  float level = 0;
  std::uint32_t samples = 1;
  int longer = 0;
};
Footprint footprint_of(const TextureRequest& texture, const float (&gradient)[2][3], int dimensions) {
  const std::uint64_t sizes[] = {texture.width, texture.height, texture.depth};
  const bool normalized = texture.normalized_coordinates || texture.cube != Cube::none;
  float lengths[2] = {};
  for (int g = 0; g < 2; ++g) {
    float sum = 0;
    for (int i = 0; i < dimensions; ++i) {
      const float elements = gradient[g][i] * (normalized ? static_cast<float>(sizes[i]) : 1.0f);
      sum += elements * elements;
    }
    lengths[g] = std::sqrt(sum);
  }
  Footprint footprint;
  footprint.longer = lengths[1] > lengths[0] ? 1 : 0;
  const float most = lengths[footprint.longer], least = lengths[1 - footprint.longer];
  if (texture.anisotropy > 1 && most > 1) {
    const float ratio = least > 0 ? std::ceil(most / least) : static_cast<float>(texture.anisotropy);
    footprint.samples = static_cast<std::uint32_t>(std::fmin(ratio, static_cast<float>(texture.anisotropy)));
  }
  footprint.level = std::log2(most / static_cast<float>(footprint.samples));
  return footprint;
}

// Between two levels, if the filter between levels is linear; its weight has 8 bits of fraction, too.
Texel sample_level(const TextureRequest& texture, const TexturePoint& point, float wanted, TextureReads& reads) {
  if (texture.smaller.empty()) return sample_image(image_of(texture, 0), point, reads);
  const auto last = static_cast<float>(texture.smaller.size());
  float level = std::fmin(std::fmax(wanted, texture.least_level), texture.most_level);  // NaN: the least
  level = std::fmin(std::fmax(level, 0.0f), last);
  if (texture.level_filter == FilterMode::point)
    return sample_image(image_of(texture, static_cast<std::size_t>(level + 0.5f)), point, reads);
  const auto fixed = static_cast<std::size_t>(level * 256 + 0.5f);
  const Texel first = sample_image(image_of(texture, fixed >> 8), point, reads);
  if ((fixed & 255) == 0) return first;
  return mixed(first, sample_image(image_of(texture, (fixed >> 8) + 1), point, reads),
               static_cast<float>(fixed & 255) / 256);
}

Texel sample_footprint(const TextureRequest& texture, const TexturePoint& point, const float (&gradient)[2][3],
                       TextureReads& reads) {
  const int dimensions = texture.dimensions();
  const Footprint footprint = footprint_of(texture, gradient, dimensions);
  const float level = footprint.level + texture.level_bias;
  if (footprint.samples == 1) return sample_level(texture, point, level, reads);
  float sum[4] = {};
  for (std::uint32_t s = 0; s < footprint.samples; ++s) {
    TexturePoint moved = point;
    const float along = (static_cast<float>(s) + 0.5f) / static_cast<float>(footprint.samples) - 0.5f;
    for (int i = 0; i < dimensions; ++i) moved.at[i] += along * gradient[footprint.longer][i];
    const Texel texel = sample_level(texture, moved, level, reads);
    for (std::size_t c = 0; c < 4; ++c) sum[c] += std::bit_cast<float>(texel[c]);
  }
  Texel mean;
  for (std::size_t c = 0; c < 4; ++c) mean[c] = bits(sum[c] / static_cast<float>(footprint.samples));
  return mean;
}

}  // namespace

bool gives_floats(const TextureRequest& texture) {
  return texture.channel == Channel::floating || texture.read == ReadMode::normalized_float;
}

TextureImage image_of(const TextureRequest& texture, std::size_t level) {
  if (level == 0) return {&texture, texture.address, texture.width, texture.height, texture.depth, texture.pitch()};
  const std::uint64_t width = texture.extent_of(texture.width, level);
  return {&texture,
          texture.smaller[level - 1],
          width,
          texture.extent_of(texture.height, level),
          texture.extent_of(texture.depth, level),
          width * texture.element_bytes()};
}

Texel sample_image(const TextureImage& image, const TexturePoint& point, TextureReads& reads) {
  const TextureRequest& texture = *image.texture;
  if (texture.filter == FilterMode::linear) return linear(image, point, reads);
  std::int64_t at[3] = {};
  for (int i = 0; i < texture.dimensions(); ++i) {
    const Axis axis = axis_of(image, i);
    at[i] = element(axis, static_cast<std::int64_t>(std::floor(position(axis, point.at[i]))));
  }
  if (at[2] == kOutside) return border(texture);
  const std::uint64_t slice = texture.depth > 0 ? static_cast<std::uint64_t>(at[2]) : layer_of(texture, point.layer);
  return load(image, slice, at[0], at[1], reads);
}

Texel sample(const TextureRequest& texture, const TexturePoint& point, const TextureDetail& detail,
             TextureReads& reads) {
  TexturePoint in = point;
  TextureDetail local = detail;
  if (texture.cube != Cube::none) {
    const FacePoint face = face_point(point.at);
    const std::uint32_t cubes = static_cast<std::uint32_t>(texture.layers / 6);
    in = {(texture.cube == Cube::one ? 0 : std::min(point.layer, cubes - 1)) * 6 + face.face,
          {face.at[0], face.at[1], 0}};
    for (int g = 0; g < 2; ++g) {
      const auto changes = face_gradient(point.at, face.face, detail.gradient[g]);
      local.gradient[g][0] = changes[0], local.gradient[g][1] = changes[1];
    }
  }
  switch (detail.kind) {
    case TextureLevel::named: return sample_level(texture, in, detail.level + texture.level_bias, reads);
    case TextureLevel::gradient: return sample_footprint(texture, in, local.gradient, reads);
    case TextureLevel::first: break;
  }
  return sample_level(texture, in, 0, reads);
}

Texel gather(const TextureRequest& texture, const TexturePoint& point, unsigned channel, TextureReads& reads) {
  const TextureImage image = image_of(texture, 0);
  const Pair x = pair_at(axis_of(image, 0), point.at[0]), y = pair_at(axis_of(image, 1), point.at[1]);
  const std::uint64_t slice = layer_of(texture, point.layer);
  return {load(image, slice, x.first, y.second, reads)[channel], load(image, slice, x.second, y.second, reads)[channel],
          load(image, slice, x.second, y.first, reads)[channel], load(image, slice, x.first, y.first, reads)[channel]};
}

Texel fetch(const TextureRequest& texture, const TexturePlace& place, TextureReads& reads) {
  const std::uint64_t sizes[] = {texture.width, texture.height, texture.depth};
  for (int i = 0; i < texture.dimensions(); ++i)
    if (place.at[i] < 0 || static_cast<std::uint64_t>(place.at[i]) >= sizes[i]) return {};
  const std::uint64_t slice =
      texture.depth > 0 ? static_cast<std::uint64_t>(place.at[2]) : layer_of(texture, place.layer);
  return load(image_of(texture, 0), slice, place.at[0], place.at[1], reads);
}

// The numbers of the PTX ISA's ".channel_data_type" and its kin are those of OpenCL.
std::uint32_t answer(const TextureRequest& texture, TextureQuery query) {
  const bool is_signed = texture.channel == Channel::signed_integer;
  switch (query) {
    case TextureQuery::width: return static_cast<std::uint32_t>(texture.width);
    case TextureQuery::height: return static_cast<std::uint32_t>(texture.height);
    case TextureQuery::depth: return static_cast<std::uint32_t>(texture.depth);
    case TextureQuery::layers:
      return static_cast<std::uint32_t>(texture.cube == Cube::none ? texture.layers : texture.layers / 6);
    case TextureQuery::levels: return static_cast<std::uint32_t>(1 + texture.smaller.size());
    case TextureQuery::samples: return 1;
    case TextureQuery::normalized: return texture.normalized_coordinates;
    case TextureQuery::channel_type: {
      if (texture.channel == Channel::floating) return texture.channel_bits == 16 ? 0x10dd : 0x10de;
      const std::uint32_t first =
          texture.read == ReadMode::normalized_float ? (is_signed ? 0x10d0 : 0x10d2) : (is_signed ? 0x10d7 : 0x10da);
      return first + (texture.channel_bits == 8 ? 0 : texture.channel_bits == 16 ? 1 : 2);
    }
    case TextureQuery::channel_order: break;
  }
  return texture.channels == 1 ? 0x10b0 : texture.channels == 2 ? 0x10b2 : 0x10b5;
}

}  // namespace xcuda::device::cpu
