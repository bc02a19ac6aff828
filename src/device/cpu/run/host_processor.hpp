// The processor that this process runs on.
#pragma once

#include <cstdint>
#include <string>

namespace xcuda::device::cpu {

std::string processor_name();      // "AMD EPYC 9965 192-Core Processor"
int usable_threads();              // of this process, at least 1
std::uint64_t last_level_cache();  // bytes; 0 when unknown
// The number of threads that run kernels; wanted 0: XCUDA_CPU_THREADS, else all usable ones.
int thread_count(int wanted);

}  // namespace xcuda::device::cpu
