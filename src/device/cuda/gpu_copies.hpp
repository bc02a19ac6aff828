// Fills and copies, as the driver takes them.
#pragma once

#include "device/cuda/driver.hpp"
#include "device/device.hpp"

namespace xcuda::device::cuda {

// Captured work reads host memory when its graph runs, not now.
enum class Posting : std::uint8_t { now, captured };
CUresult fill(const Driver& driver, const FillRequest& request, CUstream stream, Posting posting);

struct Ends {
  CUdeviceptr to = 0, from = 0;
};
CUresult copy(const Driver& driver, const CopyRequest& request, const Ends& ends, CUstream stream);

}  // namespace xcuda::device::cuda
