// The GPU of a process, and its primary context.
#pragma once

#include "device/cuda/owned.hpp"
#include "device/device.hpp"

namespace xcuda::device::cuda {

CUdevice open_device(const Driver& driver, int ordinal);  // Error(value)
// Shared with the libraries and host modules of the process. Error(device).
PrimaryContext make_context_current(const Driver& driver, CUdevice device);

CUlimit driver_limit(Limit limit);  // the driver's name of it

}  // namespace xcuda::device::cuda
