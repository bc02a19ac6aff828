// Memory that the program maps itself (cuMemMap()), for what makes a device.
#pragma once

#include "runtime/memory_map.hpp"

namespace xcuda::runtime::driver {

// What is mapped becomes known to a new device.
void name_own_mappings(MemoryMap& memory);

}  // namespace xcuda::runtime::driver
