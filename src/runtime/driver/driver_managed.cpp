// Managed memory: advice, prefetches, and what is known of it. The structures are the CUDA Runtime's under other names.
#include "runtime/driver/driver_calls.hpp"

namespace xcuda::runtime::driver {
namespace {

static_assert(sizeof(CUmemLocation) == sizeof(cudaMemLocation));
static_assert(sizeof(CUmem_range_attribute) == sizeof(cudaMemRangeAttribute) && sizeof(CUdeviceptr) == sizeof(void*));

cudaMemLocation location_of(const CUmemLocation& from) {
  return {static_cast<cudaMemLocationType>(from.type), {from.id}};
}
// Before CUDA 12.2 a place was a device or CU_DEVICE_CPU.
cudaMemLocation location_of(CUdevice device) {
  if (device == CU_DEVICE_CPU) return {cudaMemLocationTypeHost, {0}};
  return {cudaMemLocationTypeDevice, {device}};
}
void** pointers(CUdeviceptr* list) { return reinterpret_cast<void**>(list); }
cudaMemLocation* locations(CUmemLocation* list) { return reinterpret_cast<cudaMemLocation*>(list); }
cudaMemRangeAttribute* attributes(CUmem_range_attribute* list) {
  return reinterpret_cast<cudaMemRangeAttribute*>(list);
}

}  // namespace

CUresult cuMemAdvise_v2(CUdeviceptr address, std::size_t bytes, CUmem_advise advice, CUmemLocation location) {
  return in_context([&] {
    return runtime::cudaMemAdvise(pointer(address), bytes, static_cast<cudaMemoryAdvise>(advice),
                                  location_of(location));
  });
}
CUresult cuMemAdvise(CUdeviceptr address, std::size_t bytes, CUmem_advise advice, CUdevice device) {
  return in_context([&] {
    return runtime::cudaMemAdvise(pointer(address), bytes, static_cast<cudaMemoryAdvise>(advice), location_of(device));
  });
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, std::size_t bytes, CUmemLocation location, unsigned flags,
                               CUstream stream) {
  return in_context_of(stream, [&] {
    return runtime::cudaMemPrefetchAsync(pointer(address), bytes, location_of(location), flags, stream);
  });
}
CUresult cuMemPrefetchAsync(CUdeviceptr address, std::size_t bytes, CUdevice device, CUstream stream) {
  return in_context_of(
      stream, [&] { return runtime::cudaMemPrefetchAsync(pointer(address), bytes, location_of(device), 0, stream); });
}
CUresult cuMemPrefetchBatchAsync(CUdeviceptr* addresses, std::size_t* sizes, std::size_t count, CUmemLocation* places,
                                 std::size_t* starts, std::size_t place_count, unsigned long long flags,
                                 CUstream stream) {
  return in_context_of(stream, [&] {
    return runtime::cudaMemPrefetchBatchAsync(pointers(addresses), sizes, count, locations(places), starts, place_count,
                                              flags, stream);
  });
}
CUresult cuMemDiscardBatchAsync(CUdeviceptr* addresses, std::size_t* sizes, std::size_t count, unsigned long long flags,
                                CUstream stream) {
  return in_context_of(
      stream, [&] { return runtime::cudaMemDiscardBatchAsync(pointers(addresses), sizes, count, flags, stream); });
}
CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr* addresses, std::size_t* sizes, std::size_t count,
                                           CUmemLocation* places, std::size_t* starts, std::size_t place_count,
                                           unsigned long long flags, CUstream stream) {
  return in_context_of(stream, [&] {
    return runtime::cudaMemDiscardAndPrefetchBatchAsync(pointers(addresses), sizes, count, locations(places), starts,
                                                        place_count, flags, stream);
  });
}

CUresult cuMemRangeGetAttribute(void* to, std::size_t size, CUmem_range_attribute attribute, CUdeviceptr address,
                                std::size_t bytes) {
  return in_context([&] {
    return runtime::cudaMemRangeGetAttribute(to, size, static_cast<cudaMemRangeAttribute>(attribute), pointer(address),
                                             bytes);
  });
}
CUresult cuMemRangeGetAttributes(void** to, std::size_t* sizes, CUmem_range_attribute* wanted, std::size_t count,
                                 CUdeviceptr address, std::size_t bytes) {
  return in_context([&] {
    return runtime::cudaMemRangeGetAttributes(to, sizes, attributes(wanted), count, pointer(address), bytes);
  });
}
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, std::size_t bytes, unsigned flags) {
  return in_context([&] { return runtime::cudaStreamAttachMemAsync(stream, pointer(address), bytes, flags); });
}

}  // namespace xcuda::runtime::driver
