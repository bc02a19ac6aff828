// Contexts: which one is current in a thread. All of them are the one device, and the CUDA Runtime's is the primary
// one.
#pragma once

#include "runtime/driver/driver_api.hpp"

namespace xcuda::runtime::driver {

bool is_initialized();
CUcontext current_context();  // null: none
bool exists(CUcontext context);

}  // namespace xcuda::runtime::driver
