#include "language/device_properties.hpp"

#include <fmt/format.h>

namespace xcuda::language {
namespace {

using Is = DeviceProperty;
constexpr auto kOld = DevicePropertyRow::Until::cuda12;

// Members and numbers are those of driver_types.h. An array has the values of its row and of the next ones.
constexpr DevicePropertyRow kProperties[] = {
    {Is::name, "name", "", 0},
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
};

}  // namespace

std::span<const DevicePropertyRow> device_properties() { return kProperties; }

std::string declaration_of(const DevicePropertyRow& row) {
  switch (row.property) {
    case Is::name: return fmt::format("char {}[256]", row.member);
    case Is::memory:
    case Is::constant_memory:
    case Is::shared_per_block:
    case Is::shared_per_block_optin:
    case Is::alignment:
    case Is::shared_per_multiprocessor: return fmt::format("size_t {}", row.member);
    case Is::block_x:
    case Is::grid_x: return fmt::format("int {}[3]", row.member);
    default: return fmt::format("int {}", row.member);
  }
}

std::vector<std::string> device_property_members(DevicePropertyRow::Until until) {
  std::vector<std::string> members;
  for (const auto& row : kProperties)
    if (!row.member.empty() && (row.until == until || until == DevicePropertyRow::Until::cuda12))
      members.emplace_back(row.member);
  return members;
}

}  // namespace xcuda::language
