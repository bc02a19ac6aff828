#include "device/cpu/run/host_processor.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>

#include "base/text.hpp"

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace xcuda::device::cpu {
namespace {

// As the processor itself says; empty where it does not.
std::string brand() {
#ifdef __x86_64__
  constexpr unsigned kFirst = 0x80000002, kLast = 0x80000004;
  std::array<unsigned, 13> text{};  // 48 bytes and a null
  if (__get_cpuid_max(0x80000000, nullptr) < kLast) return {};
  for (unsigned part = kFirst; part <= kLast; ++part) {
    auto* const to = text.data() + std::size_t{4} * (part - kFirst);
    __cpuid(part, to[0], to[1], to[2], to[3]);
  }
  return std::string(trim(reinterpret_cast<const char*>(text.data())));
#else
  return {};
#endif
}

}  // namespace

std::string processor_name() {
  if (auto name = brand(); !name.empty()) return name;
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
