// What launches may ask for: the limits of compute capability 8.0, which the CPU device reports and compiles for.
#pragma once

#include <optional>

#include "device/device.hpp"

namespace xcuda::device::cpu {

struct Limits {
  static constexpr std::uint32_t kThreadsPerBlock = 1024, kThreadsPerMultiprocessor = 2048;
  static constexpr std::uint32_t kBlocksPerMultiprocessor = 32;
  static constexpr Dim3 kBlock{1024, 1024, 64};
  static constexpr Dim3 kGrid{0x7fff'ffff, 65535, 65535};
  static constexpr std::uint64_t kSharedPerBlock = 48 << 10, kSharedPerBlockOptin = 163 << 10;
  static constexpr std::uint64_t kSharedPerMultiprocessor = 164 << 10;
  static constexpr std::uint64_t kSharedOverhead = 1 << 10;  // bytes that each block takes besides
  static constexpr std::uint64_t kRegisters = 65536;
  static constexpr std::uint64_t kConstantMemory = 64 << 10;
};

void describe_limits(DeviceInfo& info);

std::uint64_t parameter_bytes(const FunctionInfo& function);

// Why a launch cannot run; nothing when it can.
std::optional<RefusedLaunch> refuse(const LaunchRequest& request, const FunctionInfo& function);
bool lacks_resources(const RefusedLaunch& refused);  // more threads than the kernel's registers allow

Occupancy occupancy_of(const FunctionInfo& function, const OccupancyRequest& request);
std::uint32_t best_block_of(const FunctionInfo& function, const OccupancyRequest& request);

}  // namespace xcuda::device::cpu
