#include "runtime/cuda_arrays.hpp"

#include <fmt/format.h>

#include <memory>

#include "runtime/api.hpp"
#include "runtime/copies.hpp"
#include "runtime/errors.hpp"

namespace xcuda::runtime {
namespace {

constexpr unsigned kKnownFlags =
    cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;

const ArrayLimits& limits_of(const Array& array) {
  if (array.cube() != device::Cube::none) return array.cube() == device::Cube::one ? kCube : kCubes;
  if (array.layered()) return array.extent.height > 0 ? kPlanes : kLines;
  return array.extent.depth > 0 ? kVolume : array.extent.height > 0 ? kPlane : kLine;
}

bool is_possible(const Array& array) {
  const auto& most = limits_of(array);
  const auto& extent = array.extent;
  const std::size_t depth = array.layered() ? most.layers : most.depth;
  if (extent.width == 0 || extent.width > most.width || extent.height > most.height || extent.depth > depth)
    return false;
  if (array.layered() ? extent.depth == 0 : extent.depth > 0 && extent.height == 0) return false;
  if (array.cube() != device::Cube::none && (extent.width != extent.height || extent.depth % 6 != 0)) return false;
  return (array.flags & cudaArrayTextureGather) == 0 || (extent.height > 0 && !(extent.depth > 0 && !array.layered()));
}

cudaError_t new_array(cudaArray_t* to, const cudaChannelFormatDesc* channels, const cudaExtent& extent,
                      unsigned flags) {
  return with_state([&](State& state) {
    if (to == nullptr || channels == nullptr) return cudaErrorInvalidValue;
    if (const auto error = refuse_unsafe(state); error != cudaSuccess) return error;
    return make_array(state, {.channels = *channels, .extent = extent, .flags = flags}, *to);
  });
}

// A copy between an array, from the given place on, and other memory.
struct WithArray {
  cudaArray_const_t array = nullptr;
  Box box;
  Side other;
  cudaMemcpyKind kind = cudaMemcpyDefault;
  enum class Direction : std::uint8_t { to_array, from_array } direction = Direction::to_array;
};
cudaError_t copy_array(const WithArray& one, cudaStream_t stream, Return when) {
  return with_state([&](State& state) {
    const auto* array = state.find_array(one.array);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    const auto side = side_of(*array, one.box);
    if (!side) return cudaErrorInvalidValue;
    const bool to = one.direction == WithArray::Direction::to_array;
    return copy(state,
                {.to = to ? *side : one.other,
                 .from = to ? one.other : *side,
                 .width = one.box.width,
                 .height = one.box.height,
                 .depth = one.box.depth,
                 .kind = one.kind},
                stream, when);
  });
}

// The calls without a height count bytes on, from a row to the next: there are no gaps.
cudaError_t copy_bytes(WithArray one, std::size_t bytes, cudaStream_t stream, Return when) {
  return with_state([&](State& state) {
    const auto* array = state.find_array(one.array);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    const std::size_t begin = one.box.y * array->row_bytes() + one.box.x;
    if (begin > array->bytes() || bytes > array->bytes() - begin) return cudaErrorInvalidValue;
    const Side side{static_cast<std::byte*>(array->memory) + begin};
    const bool to = one.direction == WithArray::Direction::to_array;
    return copy(state, {.to = to ? side : one.other, .from = to ? one.other : side, .width = bytes, .kind = one.kind},
                stream, when);
  });
}

using enum WithArray::Direction;

}  // namespace

std::size_t Array::element_bytes() const {
  return static_cast<std::size_t>(channels.x + channels.y + channels.z + channels.w) / 8;
}

std::optional<Channels> channels_of(const cudaChannelFormatDesc& format) {
  Channels channels{.bits = format.x};
  for (const int bits : {format.y, format.z, format.w}) {
    if (bits != 0 && bits != format.x) return std::nullopt;
    channels.count += bits != 0 ? 1 : 0;
  }
  if ((format.w != 0 && format.z == 0) || (format.z != 0 && format.w == 0) || (format.z != 0 && format.y == 0))
    return std::nullopt;
  using Kind = device::TextureRequest::Channel;
  switch (format.f) {
    case cudaChannelFormatKindSigned: channels.kind = Kind::signed_integer; break;
    case cudaChannelFormatKindUnsigned: channels.kind = Kind::unsigned_integer; break;
    case cudaChannelFormatKindFloat: channels.kind = Kind::floating; break;
    default: return std::nullopt;
  }
  const bool known =
      channels.bits == 16 || channels.bits == 32 || (channels.bits == 8 && channels.kind != Kind::floating);
  return known ? std::optional(channels) : std::nullopt;
}

cudaError_t make_array(State& state, const Array& wanted, cudaArray_t& to) {
  if (!channels_of(wanted.channels)) return cudaErrorInvalidChannelDescriptor;
  if ((wanted.flags & ~kKnownFlags) != 0) {
    say(fmt::format("arrays with the flags {:#x} (sparse arrays, graphics) are not supported on the CPU device",
                    wanted.flags & ~kKnownFlags));
    return cudaErrorNotSupported;
  }
  if (!is_possible(wanted)) return cudaErrorInvalidValue;
  auto array = std::make_unique<Array>(wanted);
  array->memory = reinterpret_cast<void*>(
      state.memory.allocate({.kind = Allocation::Kind::array, .size = array->bytes(), .flags = array->flags}));
  to = reinterpret_cast<cudaArray_t>(array.get());
  const std::lock_guard lock(state.mutex);
  state.arrays.emplace(to, std::move(array));
  return cudaSuccess;
}

void free_array(State& state, cudaArray_t array) {
  state.memory.free(state.find_array(array)->memory, {Allocation::Kind::array});
  const std::lock_guard lock(state.mutex);
  state.arrays.erase(array);
}

std::optional<Side> side_of(const Array& array, const Box& box) {
  const auto within = [](std::size_t begin, std::size_t count, std::size_t all) {
    return begin <= all && count <= all - begin;
  };
  if (!within(box.x, box.width, array.row_bytes()) || !within(box.y, box.height, array.rows()) ||
      !within(box.z, box.depth, array.slices()))
    return std::nullopt;
  const std::size_t pitch = array.row_bytes(), slice = pitch * array.rows();
  return Side{static_cast<std::byte*>(array.memory) + box.z * slice + box.y * pitch + box.x, pitch, slice};
}

// --- The functions ---------------------------------------------------------------------------------------------------

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaMallocArray(cudaArray_t* to, const cudaChannelFormatDesc* channels, std::size_t width,
                            std::size_t height, unsigned flags) {
  return new_array(to, channels, {width, height, 0}, flags);
}
cudaError_t cudaMalloc3DArray(cudaArray_t* to, const cudaChannelFormatDesc* channels, cudaExtent extent,
                              unsigned flags) {
  return new_array(to, channels, extent, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return with_state([&](State& state) {
    if (array == nullptr) return cudaSuccess;
    if (const auto error = refuse_unsafe(state); error != cudaSuccess) return error;
    state.engine.wait_for_all();
    if (state.engine.failure() != cudaSuccess) return state.engine.failure();
    const auto* found = state.find_array(array);
    if (found == nullptr || found->owner != nullptr) return cudaErrorInvalidResourceHandle;
    free_array(state, array);
    return cudaSuccess;
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* channels, cudaExtent* extent, unsigned* flags, cudaArray_t array) {
  return with_state([&](State& state) {
    const auto* found = state.find_array(array);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (channels != nullptr) *channels = found->channels;
    if (extent != nullptr) *extent = found->extent;
    if (flags != nullptr) *flags = found->flags;
    return cudaSuccess;
  });
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* channels, cudaArray_const_t array) {
  if (channels == nullptr) return set_last(cudaErrorInvalidValue);
  return runtime::cudaArrayGetInfo(channels, nullptr, nullptr, const_cast<cudaArray_t>(array));
}
cudaError_t cudaArrayGetMemoryRequirements(cudaArrayMemoryRequirements* to, cudaArray_t array, int device) {
  return with_state([&](State& state) {
    if (to == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    const auto* found = state.find_array(array);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    *to = {.size = found->bytes(), .alignment = device::Memory::kAlignment, .reserved = {}};
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return copy_array({to, {x, y, 0, width, height}, {from, pitch}, kind, to_array}, nullptr, Return::synchronous);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                     std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_array({to, {x, y, 0, width, height}, {from, pitch}, kind, to_array}, stream, Return::asynchronous);
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
                                  std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return copy_array({from, {x, y, 0, width, height}, {to, pitch}, kind, from_array}, nullptr, Return::synchronous);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x,
                                       std::size_t y, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return copy_array({from, {x, y, 0, width, height}, {to, pitch}, kind, from_array}, stream, Return::asynchronous);
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from,
                                     std::size_t from_x, std::size_t from_y, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind) {
  return with_state([&](State& state) {
    const auto *target = state.find_array(to), *source = state.find_array(from);
    if (target == nullptr || source == nullptr) return cudaErrorInvalidResourceHandle;
    const auto into = side_of(*target, {to_x, to_y, 0, width, height}),
               out = side_of(*source, {from_x, from_y, 0, width, height});
    if (!into || !out) return cudaErrorInvalidValue;
    return copy(state, {.to = *into, .from = *out, .width = width, .height = height, .kind = kind}, nullptr,
                Return::synchronous);
  });
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
                              cudaMemcpyKind kind) {
  return copy_bytes({to, {x, y}, {from}, kind, to_array}, bytes, nullptr, Return::synchronous);
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_bytes({to, {x, y}, {from}, kind, to_array}, bytes, stream, Return::asynchronous);
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t bytes,
                                cudaMemcpyKind kind) {
  return copy_bytes({from, {x, y}, {to}, kind, from_array}, bytes, nullptr, Return::synchronous);
}
cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t bytes,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_bytes({from, {x, y}, {to}, kind, from_array}, bytes, stream, Return::asynchronous);
}
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from,
                                   std::size_t from_x, std::size_t from_y, std::size_t bytes, cudaMemcpyKind kind) {
  const void* memory = nullptr;
  const auto error = with_state([&](State& state) {
    const auto* source = state.find_array(from);
    if (source == nullptr) return cudaErrorInvalidResourceHandle;
    const std::size_t begin = from_y * source->row_bytes() + from_x;
    if (begin > source->bytes() || bytes > source->bytes() - begin) return cudaErrorInvalidValue;
    memory = static_cast<const std::byte*>(source->memory) + begin;
    return cudaSuccess;
  });
  if (error != cudaSuccess) return error;
  return copy_bytes({to, {to_x, to_y}, {memory}, kind, to_array}, bytes, nullptr, Return::synchronous);
}

}  // namespace xcuda::runtime
