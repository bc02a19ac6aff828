// What cudaGetDeviceProperties and cudaDeviceGetAttribute tell of a device, and the CUDA Runtime's names for it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xcuda::language {

enum class DeviceProperty : std::uint8_t {
  name,
  uuid,
  pci_bus,
  pci_device,
  pci_domain,
  memory,
  constant_memory,
  l2_cache,
  shared_per_block,
  shared_per_block_optin,
  shared_per_multiprocessor,
  registers_per_block,
  registers_per_multiprocessor,
  warp_size,
  threads_per_block,
  threads_per_multiprocessor,
  blocks_per_multiprocessor,
  block_x,
  block_y,
  block_z,
  grid_x,
  grid_y,
  grid_z,
  clock_khz,
  memory_clock_khz,
  memory_bus_bits,
  compute_major,
  compute_minor,
  multiprocessors,
  integrated,
  error_correction,
  cooperative_launch,
  concurrent_kernels,
  alignment,  // in bytes, of textures and surfaces
  reserved_shared,
  clusters,
  fixed,           // the row's limit
  yes,             // of all devices
  no,              // of a session
  unified_memory,  // what the host and the device reach by the same address: all memory of the session
};

struct DevicePropertyRow {
  DeviceProperty property;
  std::string_view member;     // of cudaDeviceProp; empty where it has none
  std::string_view attribute;  // without cudaDevAttr; empty where there is none
  int number = 0;              // of the attribute; 0 if it has none
  enum class Until : std::uint8_t { today, cuda12 } until = Until::today;  // of the member
  int limit = 0;                                                           // of all GPUs since compute capability 6.0
};

inline constexpr std::string_view kDeviceProperties = "cudaDeviceProp";
inline constexpr std::string_view kDeviceAttribute = "cudaDevAttr";

std::span<const DevicePropertyRow> device_properties();
std::string declaration_of(const DevicePropertyRow& row);  // "int maxGridSize[3]"; of one with a member
std::vector<std::string> device_property_members(DevicePropertyRow::Until until);  // of cudaDeviceProp, as CUDA had it

}  // namespace xcuda::language
