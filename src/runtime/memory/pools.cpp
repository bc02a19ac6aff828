#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/graph/graph_launch.hpp"
#include "runtime/graph/graph_memory.hpp"
#include "runtime/interprocess.hpp"
#include "runtime/memory/pool_calls.hpp"

namespace xcuda::runtime {
namespace {

using Kind = Allocation::Kind;

cudaMemPool_t handle_of(Pool* pool) { return reinterpret_cast<cudaMemPool_t>(pool); }

std::size_t index_of(Pool::Where where) { return static_cast<std::size_t>(where); }
Kind kind_of(const Pool& pool) {
  return pool.where == Pool::Where::device ? Kind::device
         : pool.where == Pool::Where::host ? Kind::pinned
                                           : Kind::managed;
}

// Where the memory of a pool is. Nodes of the host's memory are the host.
cudaError_t read_place(const cudaMemLocation* location, cudaMemAllocationType type, Pool::Where& where) {
  if (location == nullptr) return cudaErrorInvalidValue;
  const bool is_host = location->type == cudaMemLocationTypeHost || location->type == cudaMemLocationTypeHostNuma;
  const bool is_device = location->type == cudaMemLocationTypeDevice;
  if (is_device && location->id != 0) return cudaErrorInvalidDevice;
  if (type == cudaMemAllocationTypePinned && (is_device || is_host)) {
    where = is_device ? Pool::Where::device : Pool::Where::host;
    return cudaSuccess;
  }
  if (type != cudaMemAllocationTypeManaged || !(is_device || is_host || location->type == cudaMemLocationTypeNone))
    return cudaErrorInvalidValue;
  where = Pool::Where::managed;
  return cudaSuccess;
}

// The memory is there at once: what is posted next may use it.
cudaError_t allocate_from(State& state, void** to, std::size_t bytes, Pool* pool, cudaStream_t stream) {
  if (to == nullptr || pool == nullptr || pool->is_imported) return cudaErrorInvalidValue;
  Stream* found = state.find_stream(stream);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  if (const auto error = check_use(state, *found); error != cudaSuccess) return error;
  *to = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (found->capture) {
    if (pool->where != Pool::Where::device) return cudaErrorNotSupported;
    cudaMemPoolProps of{};
    of.allocType = cudaMemAllocationTypePinned;
    of.location = {cudaMemLocationTypeDevice, 0};
    AllocateWork work{make_graph_memory(state, bytes), of};
    *to = work.memory->address;
    capture(*found, std::move(work));
    return cudaSuccess;
  }
  *to =
      reinterpret_cast<void*>(state.memory.allocate({.kind = kind_of(*pool), .size = bytes, .pool = handle_of(pool)}));
  count_allocated(state, *pool, bytes);
  return cudaSuccess;
}

}  // namespace

cudaError_t with_pool(cudaMemPool_t pool, const std::function<cudaError_t(State&, Pool&)>& function) {
  return with_state([&](State& state) {
    Pool* found = state.find_pool(pool);
    return found ? function(state, *found) : cudaErrorInvalidValue;
  });
}

void count_allocated(State& state, Pool& pool, std::uint64_t bytes) {
  const std::lock_guard lock(state.mutex);
  pool.used += bytes;
  pool.most = std::max(pool.most, pool.used);
}

cudaError_t cudaMallocAsync(void** to, std::size_t bytes, cudaStream_t stream) {
  return with_state([&](State& state) { return allocate_from(state, to, bytes, state.current_pools[0], stream); });
}

cudaError_t cudaMallocFromPoolAsync(void** to, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return with_state([&](State& state) { return allocate_from(state, to, bytes, state.find_pool(pool), stream); });
}

void note_freed(State& state, const Allocation& allocation) {
  const std::lock_guard lock(state.mutex);
  if (Pool* pool = state.find_pool(allocation.pool)) pool->used -= allocation.size;
  if (allocation.kind == Kind::managed) state.advice.forget(allocation.address, allocation.address + allocation.size);
}

cudaError_t cudaFreeAsync(void* address, cudaStream_t stream) {
  return with_state([&](State& state) {
    if (address == nullptr) return cudaSuccess;
    Stream* on = state.find_stream(stream);
    if (on == nullptr) return cudaErrorInvalidResourceHandle;
    const bool is_of_graph = state.graph_memory.all.contains(address);
    const auto error = is_of_graph ? check_use(state, *on) : check_uncaptured_use(state, *on);
    if (error != cudaSuccess) return error;
    if (is_of_graph) {
      if (!on->capture) return free_graph_memory(state, address);
      capture(*on, FreeWork{address});
      return cudaSuccess;
    }
    std::optional<Allocation> found;
    {
      const std::lock_guard lock(state.mutex);
      found = state.memory.at(address);
      if (!found || (found->kind != Kind::device && found->pool == nullptr)) return cudaErrorInvalidValue;
      if (found->kind == Kind::opened) {
        if (!begin_to_close(state, address)) return cudaErrorInvalidValue;
      } else {
        if (!state.freed.insert(address).second) return cudaErrorInvalidValue;
        note_freed(state, *found);
      }
    }
    const auto free = [&state, address, kind = found->kind] {
      const std::lock_guard lock(state.mutex);
      if (kind == Kind::opened) return end_to_close(state, address);
      state.memory.free(address, {kind});
      state.freed.erase(address);
    };
    post(state, *on, {.work = free});
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* to, int device) {
  return with_state([&](State& state) {
    if (to == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *to = handle_of(&state.default_pools[0]);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* to, int device) {
  return with_state([&](State& state) {
    if (to == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *to = handle_of(state.current_pools[0]);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  cudaMemLocation place{cudaMemLocationTypeDevice, {device}};
  return runtime::cudaMemSetMemPool(&place, cudaMemAllocationTypePinned, pool);
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* to, cudaMemLocation* location, cudaMemAllocationType type) {
  return with_state([&](State& state) {
    Pool::Where where{};
    if (to == nullptr) return cudaErrorInvalidValue;
    const auto error = read_place(location, type, where);
    if (error == cudaSuccess) *to = handle_of(&state.default_pools[index_of(where)]);
    return error;
  });
}
cudaError_t cudaMemGetMemPool(cudaMemPool_t* to, cudaMemLocation* location, cudaMemAllocationType type) {
  return with_state([&](State& state) {
    Pool::Where where{};
    if (to == nullptr) return cudaErrorInvalidValue;
    const auto error = read_place(location, type, where);
    if (error == cudaSuccess) *to = handle_of(state.current_pools[index_of(where)]);
    return error;
  });
}
cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type, cudaMemPool_t pool) {
  return with_pool(pool, [&](State& state, Pool& found) {
    Pool::Where where{};
    if (const auto error = read_place(location, type, where); error != cudaSuccess) return error;
    if (where != found.where || found.is_imported) return cudaErrorInvalidValue;
    state.current_pools[index_of(where)] = &found;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* to, const cudaMemPoolProps* wanted) {
  return with_state([&](State& state) {
    if (to == nullptr || wanted == nullptr) return cudaErrorInvalidValue;
    const bool is_exportable = wanted->handleTypes == cudaMemHandleTypePosixFileDescriptor;
    if (wanted->handleTypes != cudaMemHandleTypeNone && !is_exportable) return cudaErrorNotSupported;
    auto pool = std::make_unique<Pool>();
    const auto error = read_place(&wanted->location, wanted->allocType, pool->where);
    if (error != cudaSuccess) return error;
    if (is_exportable)
      if (const auto failed = make_exportable(*pool); failed != cudaSuccess) return failed;
    const std::lock_guard lock(state.mutex);
    *to = handle_of(state.pools.insert(std::move(pool)).first->get());
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return with_pool(pool, [&](State& state, Pool& found) {
    const auto index = index_of(found.where);
    if (&found == &state.default_pools[index]) return cudaErrorInvalidValue;
    const std::lock_guard lock(state.mutex);
    if (state.current_pools[index] == &found) state.current_pools[index] = &state.default_pools[index];
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

// The one device reads and writes all of it, which cannot be taken from the device where it is. The host has what is
// its own and managed memory.
namespace {

cudaError_t check_reader(const cudaMemLocation& location, const Pool& pool) {
  if (location.type == cudaMemLocationTypeDevice) return location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  const bool is_host = location.type == cudaMemLocationTypeHost || location.type == cudaMemLocationTypeHostNuma;
  return is_host && pool.where != Pool::Where::device ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* wanted, std::size_t count) {
  return with_pool(pool, [&](State&, Pool& found) {
    if (wanted == nullptr && count > 0) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      if (const auto error = check_reader(wanted[i].location, found); error != cudaSuccess) return error;
      if (wanted[i].flags != cudaMemAccessFlagsProtReadWrite) return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
  return with_pool(pool, [&](State&, Pool& found) {
    if (flags == nullptr || location == nullptr) return cudaErrorInvalidValue;
    const auto error = check_reader(*location, found);
    if (error == cudaSuccess) *flags = cudaMemAccessFlagsProtReadWrite;
    return error;
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
