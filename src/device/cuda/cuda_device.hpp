// A GPU through the Driver API: one primary context, memory that is exported, modules from CUBIN, posted launches.
#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"
#include "device/start.hpp"

namespace xcuda::device::cuda {

// Opens the GPU of that ordinal among the visible ones. One device per process: after a fault the context is lost, and
// with it the process. Errors: device (no driver, no such GPU), memory.
std::unique_ptr<Device> make_cuda_device(const StartRequest& request, int ordinal);
struct Driver;
std::unique_ptr<Device> make_cuda_device(const Driver& driver, const StartRequest& request, int ordinal);  // for tests

// What `%device` lists, for every visible GPU. Needs no context. Errors: device.
std::vector<DeviceInfo> list_devices();

}  // namespace xcuda::device::cuda
