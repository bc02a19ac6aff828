// How much memory this process may still take: the machine's and that of its control groups.
#pragma once

#include <cstdint>

namespace xcuda {

struct HostMemory {
  std::uint64_t total = 0, available = 0;  // bytes
};
HostMemory host_memory();

}  // namespace xcuda
