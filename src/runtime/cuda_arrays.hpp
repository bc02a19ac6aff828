// CUDA arrays: memory of the device row by row without gaps, with the channels and extents of its elements.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "device/texture_request.hpp"

namespace xcuda::runtime {

struct Side;  // copies.hpp

// The greatest extents, of arrays and of textures over them: as GPUs of compute capability 8.0 have them.
struct ArrayLimits {
  std::size_t width, height, depth, layers;  // 0: there is no such dimension
};
inline constexpr ArrayLimits kLine{131072, 0, 0, 0}, kPlane{131072, 65536, 0, 0}, kVolume{16384, 16384, 16384, 0},
    kLines{32768, 0, 0, 2048}, kPlanes{32768, 32768, 0, 2048}, kCube{32768, 32768, 0, 6}, kCubes{32768, 32768, 0, 2046};
inline constexpr std::size_t kLinearTexture = std::size_t{1} << 28;  // elements
inline constexpr std::size_t kPitchedTexture[2] = {131072, 65000};   // elements, rows

struct Array {
  cudaChannelFormatDesc channels{};
  cudaExtent extent{};  // of elements; height and depth are 0 where they are not there; depth: layers, if it has layers
  unsigned flags = 0;
  void* memory = nullptr;
  cudaMipmappedArray_const_t owner = nullptr;  // that it is a level of

  bool layered() const { return (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0; }
  device::Cube cube() const {
    if ((flags & cudaArrayCubemap) == 0) return device::Cube::none;
    return (flags & cudaArrayLayered) != 0 ? device::Cube::layers : device::Cube::one;
  }
  std::size_t element_bytes() const;
  std::size_t row_bytes() const { return extent.width * element_bytes(); }
  std::size_t rows() const { return extent.height > 0 ? extent.height : 1; }
  std::size_t slices() const { return extent.depth > 0 ? extent.depth : 1; }
  std::size_t bytes() const { return row_bytes() * rows() * slices(); }
};

// What the texture units read of an element; nothing where they cannot.
struct Channels {
  int count = 1, bits = 32;
  device::TextureRequest::Channel kind = device::TextureRequest::Channel::floating;
  std::size_t bytes() const { return static_cast<std::size_t>(count * bits / 8); }
};
std::optional<Channels> channels_of(const cudaChannelFormatDesc& format);

// Arrays from the largest level to the smallest.
struct MipmappedArray {
  std::vector<cudaArray_t> levels;
};

struct State;
// The state's. Errors: of cudaMalloc3DArray().
cudaError_t make_array(State& state, const Array& wanted, cudaArray_t& to);
void free_array(State& state, cudaArray_t array);

// Where a box of an array begins; nothing where it is not all inside. x and width in bytes.
struct Box {
  std::size_t x = 0, y = 0, z = 0, width = 0, height = 1, depth = 1;
};
std::optional<Side> side_of(const Array& array, const Box& box);

}  // namespace xcuda::runtime
