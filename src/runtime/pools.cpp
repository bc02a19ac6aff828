#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/graph/graph_launch.hpp"
#include "runtime/graph/graph_memory.hpp"

namespace xcuda::runtime {
namespace {

using Kind = Allocation::Kind;

cudaMemPool_t handle_of(Pool* pool) { return reinterpret_cast<cudaMemPool_t>(pool); }

// The memory is there at once: what is posted next may use it.
cudaError_t allocate_from(State& state, void** to, std::size_t bytes, Pool* pool, cudaStream_t stream) {
  if (to == nullptr || pool == nullptr) return cudaErrorInvalidValue;
  Stream* found = state.find_stream(stream);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  *to = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (found->capture) {
    cudaMemPoolProps of{};
    of.allocType = cudaMemAllocationTypePinned;
    of.location = {cudaMemLocationTypeDevice, 0};
    AllocateWork work{make_graph_memory(state, bytes), of};
    *to = work.memory->address;
    capture(*found, std::move(work));
    return cudaSuccess;
  }
  *to = reinterpret_cast<void*>(state.memory.allocate({.kind = Kind::device, .size = bytes, .pool = handle_of(pool)}));
  const std::lock_guard lock(state.mutex);
  pool->used += bytes;
  pool->most = std::max(pool->most, pool->used);
  return cudaSuccess;
}

cudaError_t with_pool(cudaMemPool_t pool, const std::function<cudaError_t(State&, Pool&)>& function) {
  return with_state([&](State& state) {
    Pool* found = state.find_pool(pool);
    return found ? function(state, *found) : cudaErrorInvalidValue;
  });
}

}  // namespace

cudaError_t cudaMallocAsync(void** to, std::size_t bytes, cudaStream_t stream) {
  return with_state([&](State& state) { return allocate_from(state, to, bytes, state.current_pool, stream); });
}

cudaError_t cudaMallocFromPoolAsync(void** to, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return with_state([&](State& state) { return allocate_from(state, to, bytes, state.find_pool(pool), stream); });
}

cudaError_t cudaFreeAsync(void* address, cudaStream_t stream) {
  return with_state([&](State& state) {
    if (address == nullptr) return cudaSuccess;
    Stream* on = state.find_stream(stream);
    if (on == nullptr) return cudaErrorInvalidResourceHandle;
    if (state.graph_memory.all.contains(address)) {
      if (!on->capture) return free_graph_memory(state, address);
      capture(*on, FreeWork{address});
      return cudaSuccess;
    }
    if (on->capture) return cudaErrorStreamCaptureUnsupported;
    const auto found = state.memory.at(address);
    if (!found || found->kind != Kind::device) return cudaErrorInvalidValue;
    if (Pool* pool = state.find_pool(found->pool)) {
      const std::lock_guard lock(state.mutex);
      pool->used -= found->size;
    }
    post(state, *on, {.work = [&state, address] { state.memory.free(address, {Kind::device}); }});
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* to, int device) {
  return with_state([&](State& state) {
    if (to == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *to = handle_of(&state.default_pool);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* to, int device) {
  return with_state([&](State& state) {
    if (to == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *to = handle_of(state.current_pool);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return with_pool(pool, [&](State& state, Pool& found) {
    if (device != 0) return cudaErrorInvalidDevice;
    state.current_pool = &found;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* to, const cudaMemPoolProps* wanted) {
  return with_state([&](State& state) {
    if (to == nullptr || wanted == nullptr) return cudaErrorInvalidValue;
    if (wanted->allocType != cudaMemAllocationTypePinned || wanted->location.type != cudaMemLocationTypeDevice ||
        wanted->handleTypes != cudaMemHandleTypeNone)
      return cudaErrorNotSupported;
    if (wanted->location.id != 0) return cudaErrorInvalidDevice;
    const std::lock_guard lock(state.mutex);
    *to = handle_of(state.pools.insert(std::make_unique<Pool>()).first->get());
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return with_pool(pool, [&](State& state, Pool& found) {
    if (&found == &state.default_pool) return cudaErrorInvalidValue;
    const std::lock_guard lock(state.mutex);
    if (state.current_pool == &found) state.current_pool = &state.default_pool;
    std::erase_if(state.pools, [&](const auto& one) { return one.get() == &found; });
    return cudaSuccess;
  });
}

// Nothing is kept back that could be trimmed: freed memory goes to the device's allocator at once.
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return with_pool(pool, [](State&, Pool&) { return cudaSuccess; });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return with_pool(pool, [&](State&, Pool& found) {
    if (value == nullptr) return cudaErrorInvalidValue;
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        found.reuse[attribute - cudaMemPoolReuseFollowEventDependencies] = *static_cast<int*>(value);
        return cudaSuccess;
      case cudaMemPoolAttrReleaseThreshold: found.threshold = *static_cast<std::uint64_t*>(value); return cudaSuccess;
      case cudaMemPoolAttrReservedMemHigh:
      case cudaMemPoolAttrUsedMemHigh:
        if (*static_cast<std::uint64_t*>(value) != 0) return cudaErrorInvalidValue;
        found.most = found.used;
        return cudaSuccess;
      default: return cudaErrorInvalidValue;
    }
  });
}

// The one device reads and writes all of it, which cannot be taken from the device where it is.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* wanted, std::size_t count) {
  return with_pool(pool, [&](State&, Pool&) {
    if (wanted == nullptr && count > 0) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      if (wanted[i].location.type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
      if (wanted[i].location.id != 0) return cudaErrorInvalidDevice;
      if (wanted[i].flags != cudaMemAccessFlagsProtReadWrite) return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
  return with_pool(pool, [&](State&, Pool&) {
    if (flags == nullptr || location == nullptr) return cudaErrorInvalidValue;
    if (location->type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
    if (location->id != 0) return cudaErrorInvalidDevice;
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return with_pool(pool, [&](State&, Pool& found) {
    if (value == nullptr) return cudaErrorInvalidValue;
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        *static_cast<int*>(value) = found.reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
        return cudaSuccess;
      case cudaMemPoolAttrReleaseThreshold: *static_cast<std::uint64_t*>(value) = found.threshold; return cudaSuccess;
      case cudaMemPoolAttrReservedMemCurrent:
      case cudaMemPoolAttrUsedMemCurrent: *static_cast<std::uint64_t*>(value) = found.used; return cudaSuccess;
      case cudaMemPoolAttrReservedMemHigh:
      case cudaMemPoolAttrUsedMemHigh: *static_cast<std::uint64_t*>(value) = found.most; return cudaSuccess;
      default: return cudaErrorInvalidValue;
    }
  });
}

}  // namespace xcuda::runtime
