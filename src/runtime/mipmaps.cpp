// Mipmapped arrays: a CUDA array for each level, half as wide, high and deep as the one before; all have the same
// layers.
#include <algorithm>
#include <memory>
#include <utility>

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/cuda_arrays.hpp"

namespace xcuda::runtime {
namespace {

unsigned most_levels(const Array& array) {
  auto extent = std::max(array.extent.width, array.extent.height);
  if (!array.layered()) extent = std::max(extent, array.extent.depth);
  unsigned levels = 1;
  for (; extent > 1; extent /= 2) ++levels;
  return levels;
}

Array level_of(Array array, unsigned level) {
  const auto shrink = [&](std::size_t& extent) {
    if (extent > 0) extent = std::max<std::size_t>(extent >> level, 1);
  };
  shrink(array.extent.width);
  shrink(array.extent.height);
  if (!array.layered()) shrink(array.extent.depth);
  return array;
}

void free_levels(State& state, const MipmappedArray& mipmap) {
  for (const auto level : mipmap.levels) free_array(state, level);
}

// Whose levels are freed if there is no room for all of them.
class NewMipmap {
 public:
  explicit NewMipmap(State& state) : state_(state), mipmap_(std::make_unique<MipmappedArray>()) {}
  ~NewMipmap() {
    if (mipmap_) free_levels(state_, *mipmap_);
  }
  NewMipmap(const NewMipmap&) = delete;
  NewMipmap& operator=(const NewMipmap&) = delete;
  MipmappedArray& get() { return *mipmap_; }
  std::unique_ptr<MipmappedArray> take() { return std::move(mipmap_); }

 private:
  State& state_;
  std::unique_ptr<MipmappedArray> mipmap_;
};

}  // namespace

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* to, const cudaChannelFormatDesc* channels, cudaExtent extent,
                                     unsigned levels, unsigned flags) {
  return with_state([&](State& state) {
    if (to == nullptr || channels == nullptr) return cudaErrorInvalidValue;
    if (const auto error = refuse_unsafe(state); error != cudaSuccess) return error;
    NewMipmap made(state);
    const auto handle = reinterpret_cast<cudaMipmappedArray_t>(&made.get());
    const Array first{.channels = *channels, .extent = extent, .flags = flags, .owner = handle};
    for (unsigned i = 0; i < std::clamp(levels, 1U, most_levels(first)); ++i) {
      cudaArray_t level = nullptr;
      if (const auto error = make_array(state, level_of(first, i), level); error != cudaSuccess) return error;
      made.get().levels.push_back(level);
    }
    *to = handle;
    const std::lock_guard lock(state.mutex);
    state.mipmaps.emplace(handle, made.take());
    return cudaSuccess;
  });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap) {
  return with_state([&](State& state) {
    if (mipmap == nullptr) return cudaSuccess;
    if (const auto error = refuse_unsafe(state); error != cudaSuccess) return error;
    state.engine.wait_for_all();
    if (state.engine.failure() != cudaSuccess) return state.engine.failure();
    const auto* found = state.find_mipmap(mipmap);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    free_levels(state, *found);
    const std::lock_guard lock(state.mutex);
    state.mipmaps.erase(mipmap);
    return cudaSuccess;
  });
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* to, cudaMipmappedArray_const_t mipmap, unsigned level) {
  return with_state([&](State& state) {
    const auto* found = state.find_mipmap(mipmap);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (to == nullptr || level >= found->levels.size()) return cudaErrorInvalidValue;
    *to = found->levels[level];
    return cudaSuccess;
  });
}

cudaError_t cudaMipmappedArrayGetMemoryRequirements(cudaArrayMemoryRequirements* to, cudaMipmappedArray_t mipmap,
                                                    int device) {
  return with_state([&](State& state) {
    if (to == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    const auto* found = state.find_mipmap(mipmap);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    *to = {.size = 0, .alignment = device::Memory::kAlignment, .reserved = {}};
    for (const auto level : found->levels) to->size += state.find_array(level)->bytes();
    return cudaSuccess;
  });
}

}  // namespace xcuda::runtime
