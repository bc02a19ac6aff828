#include <algorithm>
#include <bit>
#include <vector>

#include "runtime/driver/driver_calls.hpp"
#include "runtime/driver/driver_contexts.hpp"

namespace xcuda::runtime::driver {
namespace {

using Kind = Allocation::Kind;

void** as_pointer(CUdeviceptr* to) { return reinterpret_cast<void**>(to); }

cudaError_t give_pointer_attribute(State& state, void* to, CUpointer_attribute attribute, CUdeviceptr address) {
  const auto found = state.memory.find(pointer(address));
  if (to == nullptr || !found) return cudaErrorInvalidValue;
  const bool host = found->is_host();
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: return give(static_cast<CUcontext*>(to), current_context());
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return give(static_cast<unsigned*>(to), host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return give(static_cast<CUdeviceptr*>(to), address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!host && found->kind != Kind::managed) return cudaErrorInvalidValue;
      return give(static_cast<void**>(to), pointer(address));
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: return give(static_cast<unsigned long long*>(to), found->id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: return give(static_cast<bool*>(to), found->kind == Kind::managed);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return give(static_cast<int*>(to), 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return give(static_cast<CUdeviceptr*>(to), found->address);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return give(static_cast<std::size_t*>(to), found->size);
    case CU_POINTER_ATTRIBUTE_MAPPED: return give(static_cast<bool*>(to), true);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return give(static_cast<CUmemoryPool*>(to), found->pool);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return give(static_cast<bool*>(to), found->kind == Kind::device);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: return give(static_cast<unsigned*>(to), 1u);
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: return give(static_cast<bool*>(to), false);
    default: return cudaErrorNotSupported;
  }
}

}  // namespace

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  return in_context([&] { return runtime::cudaMemGetInfo(free, total); });
}
CUresult cuMemAlloc_v2(CUdeviceptr* to, std::size_t bytes) {
  return in_context([&] { return bytes == 0 ? cudaErrorInvalidValue : runtime::cudaMalloc(as_pointer(to), bytes); });
}
CUresult cuMemAllocPitch_v2(CUdeviceptr* to, std::size_t* pitch, std::size_t width, std::size_t height, unsigned) {
  return in_context([&] {
    if (width == 0 || height == 0) return cudaErrorInvalidValue;
    return runtime::cudaMallocPitch(as_pointer(to), pitch, width, height);
  });
}
CUresult cuMemAllocManaged(CUdeviceptr* to, std::size_t bytes, unsigned flags) {
  return in_context([&] { return runtime::cudaMallocManaged(as_pointer(to), bytes, flags); });
}
CUresult cuMemFree_v2(CUdeviceptr address) {
  return after_init([&] { return runtime::cudaFree(pointer(address)); });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* size, CUdeviceptr address) {
  return in_context([&] {
    return with_state([&](State& state) {
      const auto found = state.memory.find(pointer(address));
      if (!found) return cudaErrorInvalidValue;
      if (base != nullptr) *base = found->address;
      if (size != nullptr) *size = found->size;
      return cudaSuccess;
    });
  });
}

CUresult cuMemAllocHost_v2(void** to, std::size_t bytes) { return driver::cuMemHostAlloc(to, bytes, 0); }
CUresult cuMemHostAlloc(void** to, std::size_t bytes, unsigned flags) {
  return in_context([&] { return bytes == 0 ? cudaErrorInvalidValue : runtime::cudaHostAlloc(to, bytes, flags); });
}
CUresult cuMemFreeHost(void* address) {
  return after_init([&] { return runtime::cudaFreeHost(address); });
}
CUresult cuMemHostRegister_v2(void* address, std::size_t bytes, unsigned flags) {
  return in_context([&] { return runtime::cudaHostRegister(address, bytes, flags); });
}
CUresult cuMemHostUnregister(void* address) {
  return in_context([&] { return runtime::cudaHostUnregister(address); });
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* to, void* host, unsigned flags) {
  return in_context([&] { return runtime::cudaHostGetDevicePointer(as_pointer(to), host, flags); });
}
CUresult cuMemHostGetFlags(unsigned* to, void* host) {
  return in_context([&] { return runtime::cudaHostGetFlags(to, host); });
}

CUresult cuPointerGetAttribute(void* to, CUpointer_attribute attribute, CUdeviceptr address) {
  return after_init(
      [&] { return with_state([&](State& state) { return give_pointer_attribute(state, to, attribute, address); }); });
}

// That synchronous copies and fills of this memory have ended when they return: they always have.
CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  return after_init([&] {
    return with_state([&](State& state) {
      const auto found = state.memory.find(pointer(address));
      const bool is_known = found && !found->is_host() && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS;
      return value != nullptr && is_known ? cudaSuccess : cudaErrorInvalidValue;
    });
  });
}

// What is not known of a pointer is 0, and not an error.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** to, CUdeviceptr address) {
  return after_init([&] {
    return with_state([&](State& state) {
      if (count == 0 || attributes == nullptr || to == nullptr) return cudaErrorInvalidValue;
      for (unsigned i = 0; i < count; ++i)
        if (give_pointer_attribute(state, to[i], attributes[i], address) != cudaSuccess && to[i] != nullptr)
          give(static_cast<int*>(to[i]), 0);
      return cudaSuccess;
    });
  });
}

// --- Pools
// ------------------------------------------------------------------------------------------------------------

CUresult cuMemAllocAsync(CUdeviceptr* to, std::size_t bytes, CUstream stream) {
  return in_context_of(stream, [&] { return runtime::cudaMallocAsync(as_pointer(to), bytes, stream); });
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* to, std::size_t bytes, CUmemoryPool pool, CUstream stream) {
  return in_context_of(stream, [&] { return runtime::cudaMallocFromPoolAsync(as_pointer(to), bytes, pool, stream); });
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return in_context_of(stream, [&] { return runtime::cudaFreeAsync(pointer(address), stream); });
}
CUresult cuMemPoolCreate(CUmemoryPool* to, const CUmemPoolProps* wanted) {
  return after_init([&] {
    if (wanted == nullptr) return cudaErrorInvalidValue;
    cudaMemPoolProps same{};
    same.allocType = static_cast<cudaMemAllocationType>(wanted->allocType);
    same.handleTypes = static_cast<cudaMemAllocationHandleType>(wanted->handleTypes);
    same.location = {static_cast<cudaMemLocationType>(wanted->location.type), wanted->location.id};
    same.maxSize = wanted->maxSize;
    return runtime::cudaMemPoolCreate(to, &same);
  });
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return after_init([&] { return runtime::cudaMemPoolDestroy(pool); });
}
CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t bytes) {
  return after_init([&] { return runtime::cudaMemPoolTrimTo(pool, bytes); });
}
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* wanted, std::size_t count) {
  return after_init([&] {
    if (wanted == nullptr && count > 0) return cudaErrorInvalidValue;
    std::vector<cudaMemAccessDesc> same;
    for (std::size_t i = 0; i < count; ++i)
      same.push_back({{static_cast<cudaMemLocationType>(wanted[i].location.type), wanted[i].location.id},
                      static_cast<cudaMemAccessFlags>(wanted[i].flags)});
    return runtime::cudaMemPoolSetAccess(pool, same.data(), count);
  });
}
CUresult cuMemPoolGetAccess(CUmemAccess_flags* to, CUmemoryPool pool, CUmemLocation* location) {
  return after_init([&] {
    if (to == nullptr || location == nullptr) return cudaErrorInvalidValue;
    cudaMemLocation same{static_cast<cudaMemLocationType>(location->type), location->id};
    cudaMemAccessFlags flags{};
    const auto error = runtime::cudaMemPoolGetAccess(&flags, pool, &same);
    return error == cudaSuccess ? give(to, static_cast<CUmemAccess_flags>(flags)) : error;
  });
}
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return after_init(
      [&] { return runtime::cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value); });
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return after_init(
      [&] { return runtime::cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value); });
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool* to, CUmemLocation* location, CUmemAllocationType type) {
  return after_init([&] {
    return runtime::cudaMemGetDefaultMemPool(to, reinterpret_cast<cudaMemLocation*>(location),
                                             static_cast<cudaMemAllocationType>(type));
  });
}
CUresult cuMemGetMemPool(CUmemoryPool* to, CUmemLocation* location, CUmemAllocationType type) {
  return after_init([&] {
    return runtime::cudaMemGetMemPool(to, reinterpret_cast<cudaMemLocation*>(location),
                                      static_cast<cudaMemAllocationType>(type));
  });
}
CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
  return after_init([&] {
    return runtime::cudaMemSetMemPool(reinterpret_cast<cudaMemLocation*>(location),
                                      static_cast<cudaMemAllocationType>(type), pool);
  });
}

CUresult cuMemPoolExportToShareableHandle(void* to, CUmemoryPool pool, CUmemAllocationHandleType type,
                                          unsigned long long flags) {
  return after_init([&] {
    if (flags != 0) return cudaErrorInvalidValue;
    return runtime::cudaMemPoolExportToShareableHandle(to, pool, static_cast<cudaMemAllocationHandleType>(type), 0);
  });
}
CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool* to, void* handle, CUmemAllocationHandleType type,
                                            unsigned long long flags) {
  return after_init([&] {
    if (flags != 0) return cudaErrorInvalidValue;
    return runtime::cudaMemPoolImportFromShareableHandle(to, handle, static_cast<cudaMemAllocationHandleType>(type), 0);
  });
}
CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData* to, CUdeviceptr address) {
  return after_init([&] {
    return runtime::cudaMemPoolExportPointer(reinterpret_cast<cudaMemPoolPtrExportData*>(to), pointer(address));
  });
}
CUresult cuMemPoolImportPointer(CUdeviceptr* to, CUmemoryPool pool, CUmemPoolPtrExportData* from) {
  return after_init([&] {
    return runtime::cudaMemPoolImportPointer(as_pointer(to), pool, reinterpret_cast<cudaMemPoolPtrExportData*>(from));
  });
}

// --- Of other processes ----------------------------------------------------------------------------------------------

CUresult cuIpcGetMemHandle(CUipcMemHandle* to, CUdeviceptr address) {
  return in_context(
      [&] { return runtime::cudaIpcGetMemHandle(reinterpret_cast<cudaIpcMemHandle_t*>(to), pointer(address)); });
}
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* to, CUipcMemHandle handle, unsigned flags) {
  return in_context(
      [&] { return runtime::cudaIpcOpenMemHandle(as_pointer(to), std::bit_cast<cudaIpcMemHandle_t>(handle), flags); });
}
CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  return in_context([&] { return runtime::cudaIpcCloseMemHandle(pointer(address)); });
}
CUresult cuIpcGetEventHandle(CUipcEventHandle* to, CUevent event) {
  return in_context([&] { return runtime::cudaIpcGetEventHandle(reinterpret_cast<cudaIpcEventHandle_t*>(to), event); });
}
CUresult cuIpcOpenEventHandle(CUevent* to, CUipcEventHandle handle) {
  return in_context([&] { return runtime::cudaIpcOpenEventHandle(to, std::bit_cast<cudaIpcEventHandle_t>(handle)); });
}

}  // namespace xcuda::runtime::driver
