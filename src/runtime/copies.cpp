#include "runtime/copies.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <optional>

#include "runtime/api.hpp"
#include "runtime/cuda_arrays.hpp"

namespace xcuda::runtime {
namespace {

// Bytes from the first to the last.
std::size_t extent_of(const Side& side, const Copy& copy) {
  return (copy.depth - 1) * side.slice + (copy.height - 1) * side.pitch + copy.width;
}

enum class Where : std::uint8_t { host, device, either };
struct Sides {
  Where to, from;
};
Sides sides_of(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice: return {Where::device, Where::host};
    case cudaMemcpyDeviceToHost: return {Where::host, Where::device};
    case cudaMemcpyDeviceToDevice: return {Where::device, Where::device};
    default: return {Where::either, Where::either};
  }
}

// Addresses are unified: what is known at an address decides, as on a GPU, which takes cudaMemcpyHostToHost for any two
// addresses. `kind` can be wrong in two ways.
bool is_right(const std::optional<Allocation>& found, Where where) {
  if (where == Where::device) return found.has_value();
  if (where == Where::host) return !found || found->kind == Allocation::Kind::managed || found->is_host();
  return true;
}

std::byte* row_of(const Side& side, std::size_t y, std::size_t z) {
  return static_cast<std::byte*>(const_cast<void*>(side.address)) + z * side.slice + y * side.pitch;
}

// Memory of the device takes its pages when it is written first; a call for many costs less than a fault for each, but
// as much as the copy where they are there, which is judged by three of them.
void take_pages(std::byte* to, std::size_t bytes) {
  constexpr std::size_t kMany = 1 << 20;  // bytes
  constexpr int kPopulateWrite = 23;      // MADV_POPULATE_WRITE; older systems refuse it, and pages fault then
  if (bytes < kMany) return;
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(to);
  const auto first = (begin + page - 1) / page, end = (begin + bytes) / page;
  const auto is_there = [](std::uintptr_t number) {
    unsigned char state = 0;
    return mincore(reinterpret_cast<void*>(number * page), page, &state) == 0 && (state & 1) != 0;
  };
  if (is_there(first) && is_there(first + (end - first) / 2) && is_there(end - 1)) return;
  madvise(reinterpret_cast<void*>(first * page), (end - first) * page, kPopulateWrite);
}

}  // namespace

void perform(const Copy& copy) {
  for (std::size_t z = 0; z < copy.depth; ++z)
    for (std::size_t y = 0; y < copy.height; ++y) {
      take_pages(row_of(copy.to, y, z), copy.width);
      std::memmove(row_of(copy.to, y, z), row_of(copy.from, y, z), copy.width);
    }
}

void perform(const Fill& fill) {
  for (std::size_t z = 0; z < fill.depth; ++z)
    for (std::size_t y = 0; y < fill.height; ++y) {
      auto* row = row_of(fill.to, y, z);
      take_pages(row, fill.width);
      const auto width = static_cast<std::size_t>(fill.value_bytes);
      if (width == 1) std::memset(row, static_cast<int>(fill.value & 0xff), fill.width);
      if (width > 1)
        for (std::size_t x = 0; x < fill.width; x += width) std::memcpy(row + x, &fill.value, width);
    }
}

cudaError_t check(State& state, const Copy& copy) {
  if (copy.width == 0 || copy.height == 0 || copy.depth == 0) return cudaSuccess;
  if (copy.kind < cudaMemcpyHostToHost || copy.kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (copy.to.address == nullptr || copy.from.address == nullptr) return cudaErrorInvalidValue;
  if ((copy.height > 1 || copy.depth > 1) && (copy.to.pitch < copy.width || copy.from.pitch < copy.width))
    return cudaErrorInvalidPitchValue;
  const auto to = state.memory.find(copy.to.address), from = state.memory.find(copy.from.address);
  const auto sides = sides_of(copy.kind);
  if (!is_right(to, sides.to) || !is_right(from, sides.from)) return cudaErrorInvalidValue;
  if (!state.memory.fits(copy.to.address, extent_of(copy.to, copy)) ||
      !state.memory.fits(copy.from.address, extent_of(copy.from, copy)))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

cudaError_t copy(State& state, const Copy& copy, cudaStream_t stream, Return when) {
  if (const auto error = check(state, copy); error != cudaSuccess) return error;
  if (copy.width == 0 || copy.height == 0 || copy.depth == 0) return cudaSuccess;
  const bool waits =
      when == Return::synchronous ||
      (!state.captures(stream) && (!state.memory.find(copy.to.address) || !state.memory.find(copy.from.address)));
  CopyWork work{copy, box_of(copy)};
  return waits ? submit_and_wait(state, stream, work) : submit(state, stream, work);
}

cudaError_t check(State& state, const Fill& fill) {
  if (fill.width == 0 || fill.height == 0 || fill.depth == 0) return cudaSuccess;
  const Copy box{.to = fill.to, .width = fill.width, .height = fill.height, .depth = fill.depth};
  if ((fill.height > 1 || fill.depth > 1) && fill.to.pitch < fill.width) return cudaErrorInvalidValue;
  if (!state.memory.find(fill.to.address) || !state.memory.fits(fill.to.address, extent_of(fill.to, box)))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

cudaError_t fill(State& state, const Fill& fill, cudaStream_t stream, Return when) {
  if (const auto error = check(state, fill); error != cudaSuccess) return error;
  if (fill.width == 0 || fill.height == 0 || fill.depth == 0) return cudaSuccess;
  return when == Return::synchronous ? submit_and_wait(state, stream, fill) : submit(state, stream, fill);
}

// --- Ranges ----------------------------------------------------------------------------------------------------------

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return with_state([&](State& state) {
    return copy(state, {.to = {to}, .from = {from}, .width = bytes, .kind = kind}, nullptr, Return::synchronous);
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return with_state([&](State& state) {
    return copy(state, {.to = {to}, .from = {from}, .width = bytes, .kind = kind}, stream, Return::asynchronous);
  });
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  if (to_device != 0 || from_device != 0) return set_last(cudaErrorInvalidDevice);
  return runtime::cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
  if (to_device != 0 || from_device != 0) return set_last(cudaErrorInvalidDevice);
  return runtime::cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return with_state([&](State& state) {
    return fill(state, {.to = {to}, .value = static_cast<unsigned>(value), .width = bytes}, nullptr,
                Return::synchronous);
  });
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return with_state([&](State& state) {
    return fill(state, {.to = {to}, .value = static_cast<unsigned>(value), .width = bytes}, stream,
                Return::asynchronous);
  });
}

// --- Rectangles and boxes
// ----------------------------------------------------------------------------------------------

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                         std::size_t height, cudaMemcpyKind kind) {
  return with_state([&](State& state) {
    return copy(state,
                {.to = {to, to_pitch}, .from = {from, from_pitch}, .width = width, .height = height, .kind = kind},
                nullptr, Return::synchronous);
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return with_state([&](State& state) {
    return copy(state,
                {.to = {to, to_pitch}, .from = {from, from_pitch}, .width = width, .height = height, .kind = kind},
                stream, Return::asynchronous);
  });
}

namespace {

Side side_of(const cudaPitchedPtr& pointer, const cudaPos& at) {
  const std::size_t slice = pointer.pitch * pointer.ysize;
  return {static_cast<std::byte*>(pointer.ptr) + at.z * slice + at.y * pointer.pitch + at.x, pointer.pitch, slice};
}

cudaError_t copy_box(const cudaMemcpy3DParms* box, cudaStream_t stream, Return when) {
  return with_state([&](State& state) {
    Copy wanted;
    if (box == nullptr) return cudaErrorInvalidValue;
    const auto error = read_box(state, *box, wanted);
    return error == cudaSuccess ? copy(state, wanted, stream, when) : error;
  });
}
// Between devices: both are the only one.
cudaError_t copy_box(const cudaMemcpy3DPeerParms* box, cudaStream_t stream, Return when) {
  if (box == nullptr) return set_last(cudaErrorInvalidValue);
  if (box->srcDevice != 0 || box->dstDevice != 0) return set_last(cudaErrorInvalidDevice);
  const cudaMemcpy3DParms within{box->srcArray, box->srcPos, box->srcPtr, box->dstArray,
                                 box->dstPos,   box->dstPtr, box->extent, cudaMemcpyDefault};
  return copy_box(&within, stream, when);
}
cudaError_t fill_box(const cudaPitchedPtr& to, int value, const cudaExtent& extent, cudaStream_t stream, Return when) {
  return with_state([&](State& state) {
    return fill(state,
                {.to = side_of(to, {}),
                 .value = static_cast<unsigned>(value),
                 .width = extent.width,
                 .height = extent.height,
                 .depth = extent.depth},
                stream, when);
  });
}

}  // namespace

cudaError_t read_box(State& state, const cudaMemcpy3DParms& box, Copy& copy) {
  if ((box.srcArray != nullptr && box.srcPtr.ptr != nullptr) || (box.dstArray != nullptr && box.dstPtr.ptr != nullptr))
    return cudaErrorInvalidValue;
  const auto *from = state.find_array(box.srcArray), *to = state.find_array(box.dstArray);
  if ((box.srcArray != nullptr && from == nullptr) || (box.dstArray != nullptr && to == nullptr))
    return cudaErrorInvalidResourceHandle;
  if (from != nullptr && to != nullptr && from->element_bytes() != to->element_bytes()) return cudaErrorInvalidValue;
  const auto* either = from != nullptr ? from : to;
  const auto& extent = box.extent;
  const std::size_t width = extent.width * (either == nullptr ? 1 : either->element_bytes());
  const auto side = [&](const Array* array, const cudaPitchedPtr& pointer, const cudaPos& at) -> std::optional<Side> {
    if (array == nullptr) return side_of(pointer, at);
    return side_of(*array, {at.x * array->element_bytes(), at.y, at.z, width, extent.height, extent.depth});
  };
  const auto into = side(to, box.dstPtr, box.dstPos), out = side(from, box.srcPtr, box.srcPos);
  if (!into || !out) return cudaErrorInvalidValue;
  copy = {.to = *into, .from = *out, .width = width, .height = extent.height, .depth = extent.depth, .kind = box.kind};
  return cudaSuccess;
}

cudaMemcpy3DParms box_of(const Copy& copy) {
  const auto pointer = [&](const Side& side) {
    const std::size_t pitch = side.pitch == 0 ? copy.width : side.pitch;
    return cudaPitchedPtr{const_cast<void*>(side.address), pitch, copy.width,
                          side.slice == 0 ? copy.height : side.slice / pitch};
  };
  cudaMemcpy3DParms box{};
  box.srcPtr = pointer(copy.from);
  box.dstPtr = pointer(copy.to);
  box.extent = {copy.width, copy.height, copy.depth};
  box.kind = copy.kind;
  return box;
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* box) { return copy_box(box, nullptr, Return::synchronous); }
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* box, cudaStream_t stream) {
  return copy_box(box, stream, Return::asynchronous);
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* box) { return copy_box(box, nullptr, Return::synchronous); }
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* box, cudaStream_t stream) {
  return copy_box(box, stream, Return::asynchronous);
}

cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return with_state([&](State& state) {
    return fill(state, {.to = {to, pitch}, .value = static_cast<unsigned>(value), .width = width, .height = height},
                nullptr, Return::synchronous);
  });
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t stream) {
  return with_state([&](State& state) {
    return fill(state, {.to = {to, pitch}, .value = static_cast<unsigned>(value), .width = width, .height = height},
                stream, Return::asynchronous);
  });
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return fill_box(to, value, extent, nullptr, Return::synchronous);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return fill_box(to, value, extent, stream, Return::asynchronous);
}

}  // namespace xcuda::runtime
