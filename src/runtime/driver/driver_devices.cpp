#include <cstring>
#include <string>

#include "runtime/driver/driver_calls.hpp"

namespace xcuda::runtime::driver {
namespace {

// For functions that ask about a device: there is one, and no context is needed.
template <class Use> CUresult with_device(CUdevice device, const Use& use) {
  return after_init([&] { return device == 0 ? use() : cudaErrorInvalidDevice; });
}

CUresult attribute_of_device(int* to, CUdevice_attribute attribute, CUdevice device) {
  return with_device(
      device, [&] { return runtime::cudaDeviceGetAttribute(to, static_cast<cudaDeviceAttr>(attribute), device); });
}

}  // namespace

CUresult cuDriverGetVersion(int* to) { return result_of(runtime::cudaDriverGetVersion(to)); }

CUresult cuDeviceGet(CUdevice* to, int ordinal) {
  return with_device(ordinal, [&] { return give(to, ordinal); });
}
CUresult cuDeviceGetCount(int* to) {
  return after_init([&] { return runtime::cudaGetDeviceCount(to); });
}

CUresult cuDeviceGetName(char* to, int size, CUdevice device) {
  return with_device(device, [&] {
    cudaDeviceProp properties{};
    if (to == nullptr || size <= 0) return cudaErrorInvalidValue;
    const auto error = runtime::cudaGetDeviceProperties(&properties, device);
    std::strncpy(to, properties.name, static_cast<std::size_t>(size) - 1);
    to[size - 1] = '\0';
    return error;
  });
}

CUresult cuDeviceGetUuid_v2(CUuuid* to, CUdevice device) {
  return with_device(device, [&] {
    cudaDeviceProp properties{};
    if (to == nullptr) return cudaErrorInvalidValue;
    const auto error = runtime::cudaGetDeviceProperties(&properties, device);
    std::memcpy(to, &properties.uuid, sizeof *to);
    return error;
  });
}

CUresult cuDeviceTotalMem_v2(std::size_t* to, CUdevice device) {
  return with_device(device, [&] {
    std::size_t free = 0;
    return to == nullptr ? cudaErrorInvalidValue : runtime::cudaMemGetInfo(&free, to);
  });
}

CUresult cuDeviceGetAttribute(int* to, CUdevice_attribute attribute, CUdevice device) {
  return attribute_of_device(to, attribute, device);
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  const auto result = attribute_of_device(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  if (result != CUDA_SUCCESS) return result;
  return attribute_of_device(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

// As the first versions of CUDA have it.
CUresult cuDeviceGetProperties(CUdevprop* to, CUdevice device) {
  return with_device(device, [&] {
    cudaDeviceProp is{};
    if (const auto error = runtime::cudaGetDeviceProperties(&is, device); error != cudaSuccess) return error;
    CUdevprop known{};
    known.maxThreadsPerBlock = is.maxThreadsPerBlock;
    for (int i = 0; i < 3; ++i) known.maxThreadsDim[i] = is.maxThreadsDim[i], known.maxGridSize[i] = is.maxGridSize[i];
    known.sharedMemPerBlock = static_cast<int>(is.sharedMemPerBlock);
    known.totalConstantMemory = static_cast<int>(is.totalConstMem);
    known.SIMDWidth = is.warpSize;
    known.memPitch = static_cast<int>(is.memPitch);
    known.regsPerBlock = is.regsPerBlock;
    const auto error = runtime::cudaDeviceGetAttribute(&known.clockRate, cudaDevAttrClockRate, device);
    known.textureAlign = static_cast<int>(is.textureAlignment);
    return error == cudaSuccess ? give(to, known) : error;
  });
}

CUresult cuDeviceGetPCIBusId(char* to, int size, CUdevice device) {
  return with_device(device, [&] { return runtime::cudaDeviceGetPCIBusId(to, size, device); });
}
CUresult cuDeviceGetP2PAttribute(int* to, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice peer) {
  return after_init(
      [&] { return runtime::cudaDeviceGetP2PAttribute(to, static_cast<cudaDeviceP2PAttr>(attribute), from, peer); });
}
CUresult cuDeviceGetHostAtomicCapabilities(unsigned* to, const CUatomicOperation* operations, unsigned count,
                                           CUdevice device) {
  static_assert(sizeof *operations == sizeof(cudaAtomicOperation));
  return after_init([&] {
    return runtime::cudaDeviceGetHostAtomicCapabilities(to, reinterpret_cast<const cudaAtomicOperation*>(operations),
                                                        count, device);
  });
}
CUresult cuDeviceGetP2PAtomicCapabilities(unsigned*, const CUatomicOperation*, unsigned, CUdevice, CUdevice) {
  return after_init([] { return cudaErrorInvalidDevice; });
}
CUresult cuDeviceGetByPCIBusId(CUdevice* to, const char* id) {
  return after_init([&] { return runtime::cudaDeviceGetByPCIBusId(to, id); });
}
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* to, CUdevice device) {
  return with_device(device, [&] { return runtime::cudaDeviceGetDefaultMemPool(to, device); });
}
CUresult cuDeviceGetMemPool(CUmemoryPool* to, CUdevice device) {
  return with_device(device, [&] { return runtime::cudaDeviceGetMemPool(to, device); });
}
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return with_device(device, [&] { return runtime::cudaDeviceSetMemPool(device, pool); });
}
CUresult cuDeviceCanAccessPeer(int* to, CUdevice device, CUdevice peer) {
  return after_init([&] { return runtime::cudaDeviceCanAccessPeer(to, device, peer); });
}
CUresult cuDeviceGetExecAffinitySupport(int* to, CUexecAffinityType, CUdevice device) {
  return with_device(device, [&] { return give(to, 0); });
}

CUresult cuProfilerStart() { return in_context(runtime::cudaProfilerStart); }
CUresult cuProfilerStop() { return in_context(runtime::cudaProfilerStop); }

}  // namespace xcuda::runtime::driver
