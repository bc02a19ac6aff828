// What the driver's error codes mean for a launch and for the context.
#pragma once

#include <string_view>

#include "device/cuda/driver.hpp"
#include "device/device.hpp"

namespace xcuda::device::cuda {

FaultKind fault_kind(CUresult result);
std::string_view advice_for_context(CUresult result);  // for a context that cannot be made; empty when nothing is known
bool ends_context(CUresult result);                    // after these the context answers every call with the same error

}  // namespace xcuda::device::cuda
