// What launches may ask for: the limits of compute capability 8.0, which the CPU device reports and compiles for.
#pragma once

#include <optional>

#include "device/device.hpp"

namespace xcuda::device::cpu {

struct Limits {
  static constexpr std::uint32_t threads_per_block = 1024, threads_per_multiprocessor = 2048;
  static constexpr std::uint32_t blocks_per_multiprocessor = 32;
  static constexpr Dim3 block{1024, 1024, 64};
  static constexpr Dim3 grid{0x7fff'ffff, 65535, 65535};
  static constexpr std::uint64_t shared_per_block = 48 << 10, shared_per_block_optin = 163 << 10;
  static constexpr std::uint64_t shared_per_multiprocessor = 164 << 10;
  static constexpr std::uint64_t shared_overhead = 1 << 10;  // bytes that each block takes besides
  static constexpr std::uint64_t registers = 65536;
  static constexpr std::uint64_t constant_memory = 64 << 10;
};

void describe_limits(DeviceInfo& info);

// Why a launch cannot run; nothing when it can.
std::optional<RefusedLaunch> refuse(const LaunchRequest& request, const FunctionInfo& function);

Occupancy occupancy_of(const FunctionInfo& function, const OccupancyRequest& request);
std::uint32_t best_block_of(const FunctionInfo& function, const OccupancyRequest& request);

}  // namespace xcuda::device::cpu
