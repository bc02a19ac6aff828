#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/cuda_arrays.hpp"
#include "runtime/driver/driver_slots.hpp"
#include "runtime/errors.hpp"
#include "runtime/lent_device.hpp"
#include "runtime/own_stream.hpp"

namespace xcuda::runtime {
namespace {

std::atomic<unsigned> device_flags{cudaDeviceScheduleAuto};
std::atomic<cudaFuncCache> cache_config{cudaFuncCachePreferNone};  // until the device is reset

int whole(std::uint64_t value) { return static_cast<int>(std::min<std::uint64_t>(value, 0x7fff'ffff)); }

// What is not here the device does not have: 0.
int attribute_of(const device::DeviceInfo& info, cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: return whole(info.max_threads_per_block);
    case cudaDevAttrMaxBlockDimX: return whole(info.max_block.x);
    case cudaDevAttrMaxBlockDimY: return whole(info.max_block.y);
    case cudaDevAttrMaxBlockDimZ: return whole(info.max_block.z);
    case cudaDevAttrMaxGridDimX: return whole(info.max_grid.x);
    case cudaDevAttrMaxGridDimY: return whole(info.max_grid.y);
    case cudaDevAttrMaxGridDimZ: return whole(info.max_grid.z);
    case cudaDevAttrMaxSharedMemoryPerBlock: return whole(info.shared_per_block);
    case cudaDevAttrTotalConstantMemory: return whole(info.constant_memory);
    case cudaDevAttrWarpSize: return info.warp_size;
    case cudaDevAttrMaxPitch: return 0x7fff'ffff;
    case cudaDevAttrMaxRegistersPerBlock: return whole(info.registers_per_block);
    case cudaDevAttrClockRate: return whole(static_cast<std::uint64_t>(info.clock_hz / 1000));
    case cudaDevAttrTextureAlignment:
    case cudaDevAttrSurfaceAlignment: return static_cast<int>(device::Memory::kAlignment);
    case cudaDevAttrTexturePitchAlignment: return 32;
    case cudaDevAttrMaxTexture1DWidth:
    case cudaDevAttrMaxSurface1DWidth: return whole(kLine.width);
    case cudaDevAttrMaxTexture2DWidth:
    case cudaDevAttrMaxTexture2DGatherWidth:
    case cudaDevAttrMaxSurface2DWidth: return whole(kPlane.width);
    case cudaDevAttrMaxTexture2DHeight:
    case cudaDevAttrMaxTexture2DGatherHeight:
    case cudaDevAttrMaxSurface2DHeight: return whole(kPlane.height);
    case cudaDevAttrMaxTexture3DWidth:
    case cudaDevAttrMaxTexture3DHeight:
    case cudaDevAttrMaxTexture3DDepth:
    case cudaDevAttrMaxSurface3DWidth:
    case cudaDevAttrMaxSurface3DHeight:
    case cudaDevAttrMaxSurface3DDepth: return whole(kVolume.width);
    case cudaDevAttrMaxTexture1DLayeredWidth:
    case cudaDevAttrMaxSurface1DLayeredWidth: return whole(kLines.width);
    case cudaDevAttrMaxTexture2DLayeredWidth:
    case cudaDevAttrMaxTexture2DLayeredHeight:
    case cudaDevAttrMaxSurface2DLayeredWidth:
    case cudaDevAttrMaxSurface2DLayeredHeight: return whole(kPlanes.width);
    case cudaDevAttrMaxTexture1DLayeredLayers:
    case cudaDevAttrMaxTexture2DLayeredLayers:
    case cudaDevAttrMaxSurface1DLayeredLayers:
    case cudaDevAttrMaxSurface2DLayeredLayers: return whole(kPlanes.layers);
    case cudaDevAttrMaxTexture2DMipmappedWidth: return whole(kPlane.width);
    case cudaDevAttrMaxTexture2DMipmappedHeight: return whole(kPlane.height);
    case cudaDevAttrMaxTexture1DMipmappedWidth: return whole(kLines.width);
    case cudaDevAttrMaxTextureCubemapWidth:
    case cudaDevAttrMaxSurfaceCubemapWidth: return whole(kCube.width);
    case cudaDevAttrMaxTextureCubemapLayeredWidth:
    case cudaDevAttrMaxSurfaceCubemapLayeredWidth: return whole(kCubes.width);
    case cudaDevAttrMaxTextureCubemapLayeredLayers:
    case cudaDevAttrMaxSurfaceCubemapLayeredLayers: return whole(kCubes.layers);
    case cudaDevAttrMaxTexture2DLinearWidth: return whole(kPitchedTexture[0]);
    case cudaDevAttrMaxTexture2DLinearHeight: return whole(kPitchedTexture[1]);
    case cudaDevAttrMaxTexture2DLinearPitch: return 0x1fffe0;
    case cudaDevAttrMultiProcessorCount: return info.multiprocessors;
    case cudaDevAttrIntegrated:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrHostRegisterReadOnlySupported:
    case cudaDevAttrDirectManagedMemAccessFromHost:
    case cudaDevAttrIpcEventSupport:
    case cudaDevAttrMemoryPoolsSupported:
    case static_cast<cudaDeviceAttr>(142):           // host pools, which not every header names: of a NUMA node,
    case static_cast<cudaDeviceAttr>(144):           // and of the host
    case cudaDevAttrMemoryPoolSupportedHandleTypes:  // cudaMemHandleTypePosixFileDescriptor
    case static_cast<cudaDeviceAttr>(102):           // the Driver API's: memory that programs map,
    case static_cast<cudaDeviceAttr>(103):           // and its handles as descriptors of files
    case cudaDevAttrReserved92:                      // words that streams write and wait for,
    case cudaDevAttrReserved93:                      // of 64 bits,
    case cudaDevAttrReserved94:                      // and CU_STREAM_WAIT_VALUE_NOR
    case cudaDevAttrReserved122:
    case cudaDevAttrReserved123: return 1;
    case cudaDevAttrAsyncEngineCount: return 1;
    case cudaDevAttrMemoryClockRate: return whole(static_cast<std::uint64_t>(info.memory_clock_hz / 1000));
    case cudaDevAttrL2CacheSize: return whole(info.l2_cache);
    case cudaDevAttrMaxThreadsPerMultiProcessor: return whole(info.max_threads_per_multiprocessor);
    case cudaDevAttrComputeCapabilityMajor: return info.compute_major;
    case cudaDevAttrComputeCapabilityMinor: return info.compute_minor;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return whole(info.shared_per_multiprocessor);
    case cudaDevAttrMaxRegistersPerMultiprocessor: return whole(info.registers_per_multiprocessor);
    case cudaDevAttrCooperativeLaunch: return info.cooperative_launch ? 1 : 0;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return whole(info.shared_per_block_optin);
    case cudaDevAttrMaxBlocksPerMultiprocessor: return whole(info.max_blocks_per_multiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return whole(info.shared_per_multiprocessor - info.shared_per_block_optin);
    case cudaDevAttrMemSyncDomainCount: return 1;
    case cudaDevAttrNumaId:
    case cudaDevAttrHostNumaId: return -1;
    default: return 0;
  }
}

void fill_extents(int (&to)[3], const device::Dim3& from) {
  to[0] = whole(from.x), to[1] = whole(from.y), to[2] = whole(from.z);
}

cudaDeviceProp properties_of(const device::DeviceInfo& info) {
  const auto attribute = [&](cudaDeviceAttr which) { return attribute_of(info, which); };
  cudaDeviceProp is{};
  std::strncpy(is.name, info.name.c_str(), sizeof is.name - 1);
  is.totalGlobalMem = info.memory_total;
  is.sharedMemPerBlock = info.shared_per_block;
  is.regsPerBlock = whole(info.registers_per_block);
  is.warpSize = info.warp_size;
  is.memPitch = 0x7fff'ffff;
  is.maxThreadsPerBlock = whole(info.max_threads_per_block);
  fill_extents(is.maxThreadsDim, info.max_block);
  fill_extents(is.maxGridSize, info.max_grid);
  is.totalConstMem = info.constant_memory;
  is.major = info.compute_major, is.minor = info.compute_minor;
  is.textureAlignment = is.surfaceAlignment = device::Memory::kAlignment;
  is.texturePitchAlignment = static_cast<std::size_t>(attribute(cudaDevAttrTexturePitchAlignment));
  is.maxTexture1D = is.maxSurface1D = whole(kLine.width);
  const auto plane = [](int(&to)[2], const ArrayLimits& of) { to[0] = whole(of.width), to[1] = whole(of.height); };
  const auto layers = [](int(&to)[2]) { to[0] = whole(kLines.width), to[1] = whole(kLines.layers); };
  const auto volume = [](int(&to)[3], const ArrayLimits& of) {
    to[0] = whole(of.width), to[1] = whole(of.height), to[2] = whole(std::max(of.depth, of.layers));
  };
  plane(is.maxTexture2D, kPlane), plane(is.maxTexture2DGather, kPlane), plane(is.maxSurface2D, kPlane);
  volume(is.maxTexture3D, kVolume), volume(is.maxSurface3D, kVolume);
  layers(is.maxTexture1DLayered), layers(is.maxSurface1DLayered);
  volume(is.maxTexture2DLayered, kPlanes), volume(is.maxSurface2DLayered, kPlanes);
  is.maxTexture1DMipmap = whole(kLines.width);
  plane(is.maxTexture2DMipmap, kPlane);
  is.maxTextureCubemap = is.maxSurfaceCubemap = whole(kCube.width);
  const auto cubes = [](int(&to)[2]) { to[0] = whole(kCubes.width), to[1] = whole(kCubes.layers); };
  cubes(is.maxTextureCubemapLayered), cubes(is.maxSurfaceCubemapLayered);
  is.maxTexture2DLinear[0] = whole(kPitchedTexture[0]), is.maxTexture2DLinear[1] = whole(kPitchedTexture[1]);
  is.maxTexture2DLinear[2] = attribute(cudaDevAttrMaxTexture2DLinearPitch);
  is.multiProcessorCount = info.multiprocessors;
  is.integrated = is.canMapHostMemory = is.concurrentKernels = is.unifiedAddressing = is.managedMemory = 1;
  is.hostNativeAtomicSupported = is.concurrentManagedAccess = is.canUseHostPointerForRegisteredMem = 1;
  is.hostRegisterSupported = is.hostRegisterReadOnlySupported = is.directManagedMemAccessFromHost = 1;
  is.memoryPoolsSupported = is.asyncEngineCount = is.ipcEventSupported = 1;
  is.memoryPoolSupportedHandleTypes = cudaMemHandleTypePosixFileDescriptor;
  is.l2CacheSize = whole(info.l2_cache);
  is.maxThreadsPerMultiProcessor = whole(info.max_threads_per_multiprocessor);
  is.sharedMemPerMultiprocessor = info.shared_per_multiprocessor;
  is.regsPerMultiprocessor = whole(info.registers_per_multiprocessor);
  is.cooperativeLaunch = info.cooperative_launch ? 1 : 0;
  is.sharedMemPerBlockOptin = info.shared_per_block_optin;
  is.maxBlocksPerMultiProcessor = whole(info.max_blocks_per_multiprocessor);
  is.reservedSharedMemPerBlock = static_cast<std::size_t>(attribute(cudaDevAttrReservedSharedMemoryPerBlock));
  is.deviceNumaId = is.hostNumaId = -1;
  return is;
}

cudaError_t check_device(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

std::optional<device::Limit> known_limit(cudaLimit limit) {
  switch (limit) {
    case cudaLimitStackSize: return device::Limit::stack_size;
    case cudaLimitPrintfFifoSize: return device::Limit::printf_buffer;
    case cudaLimitMallocHeapSize: return device::Limit::malloc_heap;
    default: return std::nullopt;
  }
}
// One that this device does not have, or that no device has.
cudaError_t unknown_limit(cudaLimit limit) {
  return limit >= cudaLimitStackSize && limit <= cudaLimitPersistingL2CacheSize ? cudaErrorUnsupportedLimit
                                                                                : cudaErrorInvalidValue;
}
constexpr std::size_t kStackEnd = 512 << 10;  // bytes of a thread's local memory: a GPU gives less

// domain:bus:device.function, also without the domain or the function; all of them are hexadecimal numbers.
bool is_bus_id(std::string_view text) {
  std::string shape;  // with a 0 for each number
  for (const char c : text)
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0)
      shape += c;
    else if (!shape.ends_with('0'))
      shape += '0';
  return shape == "0:0:0.0" || shape == "0:0:0" || shape == "0:0.0";
}

// Preferences change nothing, as on a GPU that has nothing to choose.
template <class Config> cudaError_t get_config(Config* to, Config config) {
  return without_state([&] {
    if (to == nullptr) return cudaErrorInvalidValue;
    *to = config;
    return cudaSuccess;
  });
}
template <class Config> cudaError_t set_config(Config config, Config first, Config last) {
  return without_state([&] { return config >= first && config <= last ? cudaSuccess : cudaErrorInvalidValue; });
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return without_state([&] {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = 1;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return without_state([&] {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return with_state([&](State&) { return check_device(device); }, Failures::none);
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return runtime::cudaSetDevice(device); }

cudaError_t cudaSetValidDevices(int* devices, int count) {
  return without_state([&] {
    if (count < 0 || (count > 0 && devices == nullptr)) return cudaErrorInvalidValue;
    return std::all_of(devices, devices + count, [](int device) { return device == 0; }) ? cudaSuccess
                                                                                         : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  if (wanted == nullptr) return set_last(cudaErrorInvalidValue);
  return runtime::cudaGetDevice(device);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return with_state([&](State& state) {
    if (properties == nullptr) return cudaErrorInvalidValue;
    if (const auto error = check_device(device); error != cudaSuccess) return error;
    *properties = properties_of(state.engine.info());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return with_state([&](State& state) {
    if (value == nullptr || attribute < cudaDevAttrMaxThreadsPerBlock || attribute >= cudaDevAttrMax)
      return cudaErrorInvalidValue;
    if (const auto error = check_device(device); error != cudaSuccess) return error;
    *value = attribute_of(state.engine.info(), attribute);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return with_state([&](State& state) {
    if (const auto error = refuse_in_capture(state); error != cudaSuccess) return error;
    state.engine.wait_for_all();
    return cudaSuccess;
  });
}

// As programs use it at their end: what was launched is done, and printed, first. As on a GPU, the thread's last error
// stays.
cudaError_t cudaDeviceReset() {
  const auto before = last_error();
  const auto error = with_state([&](State& state) {
    state.engine.wait_for_all();
    return cudaSuccess;
  });
  if (error == cudaErrorNotPermitted || error == cudaErrorCudartUnloading) return error;
  if (lent_device() != nullptr) {
    say("cudaDeviceReset() in a host module would end the session's device; it does nothing here");
    return set_last(cudaErrorNotSupported);
  }
  reset_state();
  cache_config = cudaFuncCachePreferNone;
  clear_last();
  set_last(before);
  return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return without_state([&] {
    if (flags & ~static_cast<unsigned>(cudaDeviceMask)) return cudaErrorInvalidValue;
    device_flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return without_state([&] {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = device_flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t bytes) {
  return with_state([&](State& state) {
    if (limit == cudaLimitDevRuntimePendingLaunchCount) {
      const std::lock_guard lock(state.mutex);
      state.pending_launches = bytes;
      return cudaSuccess;
    }
    const auto known = known_limit(limit);
    if (!known) return unknown_limit(limit);
    if (*known == device::Limit::stack_size && bytes >= kStackEnd) return cudaErrorInvalidValue;
    state.engine.device().set_limit(*known, bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(std::size_t* bytes, cudaLimit limit) {
  return with_state([&](State& state) {
    if (bytes == nullptr) return cudaErrorInvalidValue;
    if (limit == cudaLimitDevRuntimePendingLaunchCount) {
      const std::lock_guard lock(state.mutex);
      *bytes = state.pending_launches;
      return cudaSuccess;
    }
    const auto known = known_limit(limit);
    if (!known) return unknown_limit(limit);
    *bytes = state.engine.device().limit(*known);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) { return get_config(config, cache_config.load()); }
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  const auto error = set_config(config, cudaFuncCachePreferNone, cudaFuncCachePreferEqual);
  if (error == cudaSuccess) cache_config = config;
  return error;
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return get_config(config, cudaSharedMemBankSizeFourByte);
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  return set_config(config, cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeEightByte);
}

// --- Its place on a bus: it is on none -------------------------------------------------------------------------------

cudaError_t cudaDeviceGetPCIBusId(char* id, int size, int device) {
  return without_state([&] {
    constexpr char kNone[] = "0000:00:00.0";
    if (id == nullptr || size < static_cast<int>(sizeof kNone)) return cudaErrorInvalidValue;
    if (const auto error = check_device(device); error != cudaSuccess) return error;
    std::memcpy(id, kNone, sizeof kNone);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return without_state([&] {
    if (device == nullptr || id == nullptr) return cudaErrorInvalidValue;
    const std::string_view text(id);
    if (!is_bus_id(text)) return cudaErrorInvalidValue;
    if (text.find_first_not_of("0:.") != text.npos) return cudaErrorInvalidDevice;  // not what the other one says
    *device = 0;
    return cudaSuccess;
  });
}

// --- Versions and errors
// -----------------------------------------------------------------------------------------------------

cudaError_t cudaRuntimeGetVersion(int* version) {
  return without_state([&] {
    if (version == nullptr) return cudaErrorInvalidValue;
    *version = CUDART_VERSION;
    return cudaSuccess;
  });
}
cudaError_t cudaDriverGetVersion(int* version) { return runtime::cudaRuntimeGetVersion(version); }

const char* cudaGetErrorName(cudaError_t error) { return name_of(error); }
const char* cudaGetErrorString(cudaError_t error) { return text_of(error); }

cudaError_t cudaPeekAtLastError() { return last_error(); }

// As on a GPU, what ended the device is forgotten here, too, until the next call fails for it.
cudaError_t cudaGetLastError() {
  const auto error = runtime::cudaPeekAtLastError();
  clear_last();
  return error;
}

// --- What tools would listen to, and the Driver API
// -------------------------------------------------------------------

cudaError_t cudaProfilerStart() {
  return without_state([] { return cudaSuccess; });
}
cudaError_t cudaProfilerStop() {
  return without_state([] { return cudaSuccess; });
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                             unsigned long long flags, cudaDriverEntryPointQueryResult* result) {
  return without_state([&] {
    if (name == nullptr || function == nullptr || flags > cudaEnablePerThreadDefaultStream)
      return cudaErrorInvalidValue;
    const bool of_thread = flags == cudaEnableDefault ? OwnDefaultStream::is_set() : flags != cudaEnableLegacyStream;
    const auto point = driver::find_entry_point(name, static_cast<int>(version),
                                                of_thread ? driver::NullStream::of_thread : driver::NullStream::of_all);
    using enum driver::EntryPoint::Found;
    *function = const_cast<void*>(point.function);
    if (result == nullptr) return point.found == yes ? cudaSuccess : cudaErrorSymbolNotFound;
    *result = point.found == yes     ? cudaDriverEntryPointSuccess
              : point.found == newer ? cudaDriverEntryPointVersionNotSufficent
                                     : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* result) {
  return runtime::cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, result);
}

}  // namespace xcuda::runtime
