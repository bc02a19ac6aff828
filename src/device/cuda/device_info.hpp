// What the driver tells of a GPU without a context.
#pragma once

#include "device/cuda/driver.hpp"
#include "device/device.hpp"

namespace xcuda::device::cuda {

DeviceInfo describe(const Driver& driver, CUdevice device, int ordinal);

// The limits of a launch on one GPU, and the occupancy calculator's limiter.
struct LaunchNeeds {
  int registers = 0;
  std::uint64_t shared = 0;  // static and dynamic, bytes per block
  std::uint32_t threads = 0;
};
std::string occupancy_limiter(const DeviceInfo& info, const LaunchNeeds& needs);

}  // namespace xcuda::device::cuda
