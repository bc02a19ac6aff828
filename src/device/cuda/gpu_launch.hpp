// One launch, as the driver takes it.
#pragma once

#include <string>

#include "device/cuda/gpu_module.hpp"

namespace xcuda::device::cuda {

// Launches a function; raises its limit on dynamic shared memory where it needs more.
CUresult launch(const Driver& driver, const LaunchRequest& request, Function& function, CUstream stream);

// What to do about a launch that was refused; empty when there is nothing to say.
struct Refusal {
  CUresult result;
  const LaunchRequest& request;
  const Function& function;
};
std::string advice_for(const Refusal& refusal, const DeviceInfo& info);

}  // namespace xcuda::device::cuda
