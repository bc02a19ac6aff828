#include <algorithm>

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/graph/graph_memory.hpp"
#include "runtime/interprocess.hpp"

namespace xcuda::runtime {
namespace {

using Kind = Allocation::Kind;

constexpr std::size_t kPitch = 512;  // bytes

cudaError_t allocate(State& state, void** to, Allocation allocation) {
  if (to == nullptr) return cudaErrorInvalidValue;
  if (const auto error = refuse_unsafe(state); error != cudaSuccess) return error;
  *to = nullptr;
  if (allocation.size > 0) *to = reinterpret_cast<void*>(state.memory.allocate(allocation));
  return cudaSuccess;
}

// Waits for what may use the memory, as CUDA does.
cudaError_t release(State& state, const void* address, std::initializer_list<Kind> kinds) {
  if (address == nullptr) return cudaSuccess;
  if (const auto error = refuse_unsafe(state); error != cudaSuccess) return error;
  state.engine.wait_for_all();
  if (state.engine.failure() != cudaSuccess) return state.engine.failure();
  const auto found = state.memory.at(address);
  if (!state.memory.free(address, kinds)) return cudaErrorInvalidValue;
  note_freed(state, *found);
  return cudaSuccess;
}

cudaError_t release_import(State& state, const void* address) {
  if (const auto error = refuse_unsafe(state); error != cudaSuccess) return error;
  state.engine.wait_for_all();
  if (state.engine.failure() != cudaSuccess) return state.engine.failure();
  return close_memory(state, address, OpenedBy::pool) ? cudaSuccess : cudaErrorInvalidValue;
}

std::size_t pitch_of(std::size_t width) { return (width + kPitch - 1) / kPitch * kPitch; }

cudaError_t allocate_pinned(void** to, std::size_t bytes, unsigned flags) {
  return with_state([&](State& state) {
    constexpr unsigned kKnown = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (flags & ~kKnown) return cudaErrorInvalidValue;
    return allocate(state, to, {.kind = Kind::pinned, .size = bytes, .flags = flags});
  });
}

}  // namespace

cudaError_t cudaMalloc(void** to, std::size_t bytes) {
  return with_state([&](State& state) { return allocate(state, to, {.kind = Kind::device, .size = bytes}); });
}

cudaError_t cudaMallocManaged(void** to, std::size_t bytes, unsigned flags) {
  return with_state([&](State& state) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    return allocate(state, to, {.kind = Kind::managed, .size = bytes});
  });
}

cudaError_t cudaMallocPitch(void** to, std::size_t* pitch, std::size_t width, std::size_t height) {
  return with_state([&](State& state) {
    if (pitch == nullptr) return cudaErrorInvalidValue;
    *pitch = pitch_of(width);
    return allocate(state, to, {.kind = Kind::device, .size = *pitch * height});
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* to, cudaExtent extent) {
  return with_state([&](State& state) {
    if (to == nullptr) return cudaErrorInvalidValue;
    *to = {nullptr, pitch_of(extent.width), extent.width, extent.height};
    return allocate(state, &to->ptr, {.kind = Kind::device, .size = to->pitch * extent.height * extent.depth});
  });
}

cudaError_t cudaFree(void* address) {
  return with_state([&](State& state) {
    if (state.graph_memory.all.contains(address)) {
      state.engine.wait_for_all();
      return free_graph_memory(state, address);
    }
    const auto found = state.memory.at(address);
    if (found && found->pool != nullptr && found->kind == Kind::opened) return release_import(state, address);
    if (found && found->pool != nullptr) return release(state, address, {found->kind});
    return release(state, address, {Kind::device, Kind::managed});
  });
}

cudaError_t cudaMallocHost(void** to, std::size_t bytes) { return allocate_pinned(to, bytes, 0); }
cudaError_t cudaHostAlloc(void** to, std::size_t bytes, unsigned flags) { return allocate_pinned(to, bytes, flags); }

cudaError_t cudaFreeHost(void* address) {
  return with_state([&](State& state) { return release(state, address, {Kind::pinned}); });
}

cudaError_t cudaHostRegister(void* address, std::size_t bytes, unsigned flags) {
  return with_state([&](State& state) {
    constexpr unsigned kKnown =
        cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    if (address == nullptr || bytes == 0 || (flags & ~kKnown)) return cudaErrorInvalidValue;
    if (const auto error = refuse_unsafe(state); error != cudaSuccess) return error;
    const auto found = state.memory.find(address);
    if (found && found->kind != Kind::registered) return cudaErrorInvalidValue;
    return state.memory.add({.kind = Kind::registered,
                             .address = reinterpret_cast<device::Address>(address),
                             .size = bytes,
                             .flags = flags})
               ? cudaSuccess
               : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void* address) {
  return with_state([&](State& state) {
    if (address == nullptr) return cudaErrorInvalidValue;
    if (!state.memory.find(address)) return cudaErrorHostMemoryNotRegistered;
    return release(state, address, {Kind::registered});
  });
}

// Host and device read one memory at one address.
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return with_state([&](State& state) {
    const auto found = state.memory.find(host);
    if (device == nullptr || flags != 0 || !found || (found->kind != Kind::pinned && found->kind != Kind::registered))
      return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return with_state([&](State& state) {
    const auto found = state.memory.at(host);
    if (flags == nullptr || !found || found->kind != Kind::pinned) return cudaErrorInvalidValue;
    *flags = found->flags | cudaHostAllocMapped;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {  // either may be null
  return with_state([&](State& state) {
    if (free != nullptr) *free = state.memory.free_bytes();
    if (total != nullptr) *total = state.engine.info().memory_total;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return with_state([&](State& state) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    const auto found = state.memory.find(pointer);
    *attributes = {};
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    if (!found) {
      attributes->hostPointer = const_cast<void*>(pointer);
      return cudaSuccess;
    }
    const bool host = found->is_host();
    attributes->type = host                           ? cudaMemoryTypeHost
                       : found->kind == Kind::managed ? cudaMemoryTypeManaged
                                                      : cudaMemoryTypeDevice;
    attributes->device = 0;
    attributes->devicePointer = const_cast<void*>(pointer);
    if (host || found->kind == Kind::managed) attributes->hostPointer = const_cast<void*>(pointer);
    return cudaSuccess;
  });
}

}  // namespace xcuda::runtime
