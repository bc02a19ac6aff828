// How much memory of its own a worker may take (RLIMIT_DATA: heaps, stacks of threads and other private pages). Arrays
// are shared and do not count, and neither do addresses that are only reserved, which a GPU's driver has terabytes of.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace xcuda {

constexpr std::uint64_t kLeastData = std::uint64_t{1} << 30;  // bytes: NVRTC, LLVM or a driver, and their work

// Limits the processes that this one has started or starts from now on, to at least kLeastData. 0: no limit. A process
// that has set a lower limit for itself keeps it.
void limit_data(std::uint64_t bytes);
void limit_data_of(pid_t process);  // to the bytes last given to limit_data()

// What to do where this process has too little memory or addresses; empty where no limit is the reason.
std::string memory_advice();

}  // namespace xcuda
