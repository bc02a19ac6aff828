#include "device/cpu/run/host_processor.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "base/text.hpp"

namespace xcuda::device::cpu {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return std::string(trim(std::string_view(line).substr(line.find(':') + 1)));
  return "CPU";
}

int usable_threads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(CPU_COUNT(&set), 1);
  return static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

std::uint64_t last_level_cache() {
  for (const int level : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
    if (const long size = sysconf(level); size > 0) return static_cast<std::uint64_t>(size);
  return 0;
}

int thread_count(int wanted) {
  if (wanted > 0) return wanted;
  if (const char* text = std::getenv("XCUDA_CPU_THREADS"))
    if (const int threads = std::atoi(text); threads > 0) return std::min(threads, 1024);
  return usable_threads();
}

}  // namespace xcuda::device::cpu
