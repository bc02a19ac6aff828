// What the texture units of a GPU do, as the CUDA C++ Programming Guide says under "Texture Fetching": the weights of a
// linear filter are fixed-point numbers with 8 bits of fraction.
#include "device/cpu/run/texture.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "base/half.hpp"

namespace xcuda::device::cpu {
namespace {

constexpr std::int64_t kOutside = -1;
using Channel = TextureRequest::Channel;

// The axes of a texture and how coordinates beyond its edges are led back.
struct Axis {
  std::int64_t size = 1;
  AddressMode mode = AddressMode::clamp;
  bool normalized = false;
};

Axis axis_of(const TextureRequest& texture, int dimension) {
  const std::uint64_t sizes[] = {texture.width, texture.height, texture.depth};
  Axis axis{static_cast<std::int64_t>(sizes[dimension]), texture.address_mode[dimension],
            texture.normalized_coordinates};
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
  const float whole = std::floor(x);
  if (axis.mode == AddressMode::wrap) x -= whole;
  if (axis.mode == AddressMode::mirror) x = std::fmod(whole, 2.0f) == 0 ? x - whole : 1 - (x - whole);
  return x * static_cast<float>(axis.size);
}

std::int64_t element(const Axis& axis, std::int64_t index) {
  if (index >= 0 && index < axis.size) return index;
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

// Channels that the array does not have are 0, 0 and 1.
Texel nothing(const TextureRequest& texture) {
  Texel texel{};
  if (texture.channels < 4) texel[3] = gives_floats(texture) ? bits(1.0f) : 1;
  return texel;
}

Texel load(const TextureRequest& texture, std::uint64_t slice, std::int64_t x, std::int64_t y, TextureReads& reads) {
  Texel texel = nothing(texture);
  if (x == kOutside || y == kOutside) return texel;
  const std::uint64_t row = slice * texture.rows() + static_cast<std::uint64_t>(y);
  const auto* from = reinterpret_cast<const std::byte*>(texture.address) + row * texture.pitch() +
                     static_cast<std::uint64_t>(x) * texture.element_bytes();
  reads.elements[reads.count++] = from;
  for (int c = 0; c < texture.channels; ++c)
    texel[static_cast<std::size_t>(c)] = channel(texture, from + c * texture.channel_bits / 8);
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
Texel linear(const TextureRequest& texture, const TexturePoint& point, TextureReads& reads) {
  const int dimensions = texture.dimensions();
  Pair pairs[3];
  for (int i = 0; i < dimensions; ++i) pairs[i] = pair_at(axis_of(texture, i), point.at[i]);
  const auto row = [&](std::uint64_t slice, std::int64_t y) {
    const Texel first = load(texture, slice, pairs[0].first, y, reads);
    return pairs[0].weight == 0 ? first
                                : mixed(first, load(texture, slice, pairs[0].second, y, reads), pairs[0].weight);
  };
  const auto plane = [&](std::uint64_t slice) {
    if (dimensions == 1) return row(slice, 0);
    const Texel first = row(slice, pairs[1].first);
    return pairs[1].weight == 0 ? first : mixed(first, row(slice, pairs[1].second), pairs[1].weight);
  };
  if (dimensions < 3) return plane(layer_of(texture, point.layer));
  const auto volume = [&](std::int64_t z) {
    return z == kOutside ? nothing(texture) : plane(static_cast<std::uint64_t>(z));
  };
  const Texel first = volume(pairs[2].first);
  return pairs[2].weight == 0 ? first : mixed(first, volume(pairs[2].second), pairs[2].weight);
}

}  // namespace

bool gives_floats(const TextureRequest& texture) {
  return texture.channel == Channel::floating || texture.read == ReadMode::normalized_float;
}

Texel sample(const TextureRequest& texture, const TexturePoint& point, TextureReads& reads) {
  if (texture.filter == FilterMode::linear) return linear(texture, point, reads);
  std::int64_t at[3] = {};
  for (int i = 0; i < texture.dimensions(); ++i) {
    const Axis axis = axis_of(texture, i);
    at[i] = element(axis, static_cast<std::int64_t>(std::floor(position(axis, point.at[i]))));
  }
  if (at[2] == kOutside) return nothing(texture);
  const std::uint64_t slice = texture.depth > 0 ? static_cast<std::uint64_t>(at[2]) : layer_of(texture, point.layer);
  return load(texture, slice, at[0], at[1], reads);
}

Texel gather(const TextureRequest& texture, const TexturePoint& point, unsigned channel, TextureReads& reads) {
  const Pair x = pair_at(axis_of(texture, 0), point.at[0]), y = pair_at(axis_of(texture, 1), point.at[1]);
  const std::uint64_t slice = layer_of(texture, point.layer);
  return {
      load(texture, slice, x.first, y.second, reads)[channel], load(texture, slice, x.second, y.second, reads)[channel],
      load(texture, slice, x.second, y.first, reads)[channel], load(texture, slice, x.first, y.first, reads)[channel]};
}

Texel fetch(const TextureRequest& texture, const TexturePlace& place, TextureReads& reads) {
  const std::uint64_t sizes[] = {texture.width, texture.height, texture.depth};
  for (int i = 0; i < texture.dimensions(); ++i)
    if (place.at[i] < 0 || static_cast<std::uint64_t>(place.at[i]) >= sizes[i]) return {};
  const std::uint64_t slice =
      texture.depth > 0 ? static_cast<std::uint64_t>(place.at[2]) : layer_of(texture, place.layer);
  return load(texture, slice, place.at[0], place.at[1], reads);
}

// The numbers of the PTX ISA's ".channel_data_type" and its kin are those of OpenCL.
std::uint32_t answer(const TextureRequest& texture, TextureQuery query) {
  const bool is_signed = texture.channel == Channel::signed_integer;
  switch (query) {
    case TextureQuery::width: return static_cast<std::uint32_t>(texture.width);
    case TextureQuery::height: return static_cast<std::uint32_t>(texture.height);
    case TextureQuery::depth: return static_cast<std::uint32_t>(texture.depth);
    case TextureQuery::layers: return static_cast<std::uint32_t>(texture.layers);
    case TextureQuery::levels:
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
