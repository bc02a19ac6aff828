#include "language/device_properties.hpp"

#include <fmt/format.h>

namespace xcuda::language {
namespace {

using Is = DeviceProperty;
constexpr auto kOld = DevicePropertyRow::Until::cuda12;

// Limits are those of "Technical Specifications per Compute Capability" in the CUDA Programming Guide.
constexpr DevicePropertyRow limit(std::string_view member, std::string_view attribute, int number, int most) {
  return {Is::fixed, member, attribute, number, DevicePropertyRow::Until::today, most};
}

// Members and numbers are those of driver_types.h. An array has the values of its row and of the next ones.
constexpr DevicePropertyRow kProperties[] = {
    {Is::name, "name", "", 0},
    {Is::uuid, "uuid", "", 0},
    {Is::pci_bus, "pciBusID", "PciBusId", 33},
    {Is::pci_device, "pciDeviceID", "PciDeviceId", 34},
    {Is::pci_domain, "pciDomainID", "PciDomainId", 50},
    {Is::memory, "totalGlobalMem", "", 0},
    {Is::constant_memory, "totalConstMem", "TotalConstantMemory", 9},
    {Is::l2_cache, "l2CacheSize", "L2CacheSize", 38},
    {Is::shared_per_block, "sharedMemPerBlock", "MaxSharedMemoryPerBlock", 8},
    {Is::shared_per_block_optin, "sharedMemPerBlockOptin", "MaxSharedMemoryPerBlockOptin", 97},
    {Is::shared_per_multiprocessor, "sharedMemPerMultiprocessor", "MaxSharedMemoryPerMultiprocessor", 81},
    {Is::registers_per_block, "regsPerBlock", "MaxRegistersPerBlock", 12},
    {Is::registers_per_multiprocessor, "regsPerMultiprocessor", "MaxRegistersPerMultiprocessor", 82},
    {Is::warp_size, "warpSize", "WarpSize", 10},
    {Is::threads_per_block, "maxThreadsPerBlock", "MaxThreadsPerBlock", 1},
    {Is::threads_per_multiprocessor, "maxThreadsPerMultiProcessor", "MaxThreadsPerMultiProcessor", 39},
    {Is::blocks_per_multiprocessor, "maxBlocksPerMultiProcessor", "MaxBlocksPerMultiprocessor", 106},
    {Is::block_x, "maxThreadsDim", "MaxBlockDimX", 2},
    {Is::block_y, "", "MaxBlockDimY", 3},
    {Is::block_z, "", "MaxBlockDimZ", 4},
    {Is::grid_x, "maxGridSize", "MaxGridDimX", 5},
    {Is::grid_y, "", "MaxGridDimY", 6},
    {Is::grid_z, "", "MaxGridDimZ", 7},
    {Is::clock_khz, "clockRate", "ClockRate", 13, kOld},
    {Is::memory_clock_khz, "memoryClockRate", "MemoryClockRate", 36, kOld},
    {Is::memory_bus_bits, "memoryBusWidth", "GlobalMemoryBusWidth", 37},
    {Is::compute_major, "major", "ComputeCapabilityMajor", 75},
    {Is::compute_minor, "minor", "ComputeCapabilityMinor", 76},
    {Is::multiprocessors, "multiProcessorCount", "MultiProcessorCount", 16},
    {Is::integrated, "integrated", "Integrated", 18},
    {Is::error_correction, "ECCEnabled", "EccEnabled", 32},
    {Is::cooperative_launch, "cooperativeLaunch", "CooperativeLaunch", 95},
    {Is::unified_memory, "unifiedAddressing", "UnifiedAddressing", 41},
    {Is::unified_memory, "managedMemory", "ManagedMemory", 83},
    {Is::unified_memory, "concurrentManagedAccess", "ConcurrentManagedAccess", 89},
    {Is::unified_memory, "canMapHostMemory", "CanMapHostMemory", 19},
    {Is::concurrent_kernels, "concurrentKernels", "ConcurrentKernels", 31},
    {Is::alignment, "textureAlignment", "TextureAlignment", 14},
    {Is::alignment, "surfaceAlignment", "SurfaceAlignment", 30},
    {Is::yes, "deviceOverlap", "GpuOverlap", 15, kOld},
    {Is::yes, "asyncEngineCount", "AsyncEngineCount", 40},
    {Is::yes, "globalL1CacheSupported", "GlobalL1CacheSupported", 79},
    {Is::yes, "localL1CacheSupported", "LocalL1CacheSupported", 80},
    {Is::yes, "hostRegisterSupported", "HostRegisterSupported", 99},
    {Is::yes, "memoryPoolsSupported", "MemoryPoolsSupported", 115},
    {Is::no, "kernelExecTimeoutEnabled", "KernelExecTimeout", 17, kOld},
    {Is::no, "computeMode", "ComputeMode", 20, kOld},
    {Is::no, "tccDriver", "TccDriver", 35},
    {Is::no, "streamPrioritiesSupported", "StreamPrioritiesSupported", 78},
    {Is::no, "isMultiGpuBoard", "IsMultiGpuBoard", 84},
    {Is::no, "hostNativeAtomicSupported", "HostNativeAtomicSupported", 86},
    {Is::no, "pageableMemoryAccess", "PageableMemoryAccess", 88},
    {Is::no, "computePreemptionSupported", "ComputePreemptionSupported", 90},
    {Is::no, "directManagedMemAccessFromHost", "DirectManagedMemAccessFromHost", 101},
    {Is::no, "persistingL2CacheMaxSize", "MaxPersistingL2CacheSize", 108},
    {Is::no, "accessPolicyMaxWindowSize", "MaxAccessPolicyWindowSize", 109},
    {Is::no, "multiGpuBoardGroupID", "MultiGpuBoardGroupID", 85},
    {Is::no, "pageableMemoryAccessUsesHostPageTables", "PageableMemoryAccessUsesHostPageTables", 100},
    {Is::no, "sparseCudaArraySupported", "SparseCudaArraySupported", 112},
    {Is::no, "hostRegisterReadOnlySupported", "HostRegisterReadOnlySupported", 113},
    {Is::no, "timelineSemaphoreInteropSupported", "TimelineSemaphoreInteropSupported", 114},
    {Is::no, "gpuDirectRDMASupported", "GPUDirectRDMASupported", 116},
    {Is::no, "deferredMappingCudaArraySupported", "DeferredMappingCudaArraySupported", 121},
    {Is::no, "ipcEventSupported", "IpcEventSupport", 125},
    {Is::no, "maxTextureCubemap", "MaxTextureCubemapWidth", 52},
    {Is::no, "maxTexture1DMipmap", "MaxTexture1DMipmappedWidth", 77},
    {Is::unified_memory, "canUseHostPointerForRegisteredMem", "CanUseHostPointerForRegisteredMem", 91},
    {Is::reserved_shared, "reservedSharedMemPerBlock", "ReservedSharedMemoryPerBlock", 111},
    {Is::clusters, "clusterLaunch", "ClusterLaunch", 120},
    limit("memPitch", "MaxPitch", 11, 2147483647),
    limit("texturePitchAlignment", "TexturePitchAlignment", 51, 32),
    limit("maxTexture1D", "MaxTexture1DWidth", 21, 131072),
    limit("maxTexture2D", "MaxTexture2DWidth", 22, 131072),
    limit("", "MaxTexture2DHeight", 23, 65536),
    limit("maxTexture3D", "MaxTexture3DWidth", 24, 16384),
    limit("", "MaxTexture3DHeight", 25, 16384),
    limit("", "MaxTexture3DDepth", 26, 16384),
    limit("maxTexture1DLayered", "MaxTexture1DLayeredWidth", 42, 32768),
    limit("", "MaxTexture1DLayeredLayers", 43, 2048),
    limit("maxTexture2DLayered", "MaxTexture2DLayeredWidth", 27, 32768),
    limit("", "MaxTexture2DLayeredHeight", 28, 32768),
    limit("", "MaxTexture2DLayeredLayers", 29, 2048),
};

}  // namespace

std::span<const DevicePropertyRow> device_properties() { return kProperties; }

std::string declaration_of(const DevicePropertyRow& row) {
  switch (row.property) {
    case Is::name: return fmt::format("char {}[256]", row.member);
    case Is::uuid: return fmt::format("cudaUUID_t {}", row.member);
    case Is::memory:
    case Is::constant_memory:
    case Is::shared_per_block:
    case Is::shared_per_block_optin:
    case Is::alignment:
    case Is::shared_per_multiprocessor: return fmt::format("size_t {}", row.member);
    case Is::reserved_shared: return fmt::format("size_t {}", row.member);
    default: break;
  }
  if (row.member == "memPitch" || row.member == "texturePitchAlignment") return fmt::format("size_t {}", row.member);
  std::size_t extent = 1;  // and the rows of the other values of an array
  for (const auto* next = &row + 1; next != std::end(kProperties) && next->member.empty(); ++next) ++extent;
  return extent > 1 ? fmt::format("int {}[{}]", row.member, extent) : fmt::format("int {}", row.member);
}

std::vector<std::string> device_property_members(DevicePropertyRow::Until until) {
  std::vector<std::string> members;
  for (const auto& row : kProperties)
    if (!row.member.empty() && (row.until == until || until == DevicePropertyRow::Until::cuda12))
      members.emplace_back(row.member);
  return members;
}

}  // namespace xcuda::language
