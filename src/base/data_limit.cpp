#include "base/data_limit.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/process_limits.hpp"
#include "base/units.hpp"

namespace xcuda {
namespace {

std::atomic<std::uint64_t> most_data{0};  // 0: no limit

}  // namespace

void limit_data_of(pid_t process) {
  rlimit own{}, limit{};
  if (getrlimit(RLIMIT_DATA, &own) != 0 || prlimit(process, RLIMIT_DATA, nullptr, &limit) != 0) return;
  limit.rlim_cur = std::min(own.rlim_cur, limit.rlim_max);
  if (const auto most = most_data.load(); most > 0)
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, std::max(most, kLeastData));
  prlimit(process, RLIMIT_DATA, &limit, nullptr);
}

void limit_data(std::uint64_t bytes) {
  if (most_data.exchange(bytes) == bytes) return;
  std::error_code gone;
  for (std::filesystem::directory_iterator thread("/proc/self/task", gone), end; !gone && thread != end;
       thread.increment(gone)) {
    std::ifstream children(thread->path() / "children");
    for (pid_t child = 0; children >> child;) limit_data_of(child);
  }
}

std::string memory_advice() {
  if (auto advice = address_space_advice(); !advice.empty()) return advice;
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  return fmt::format("Its limit is {}: raise that of the session (%config memory) or of the shell (ulimit -d).",
                     format_bytes(limit.rlim_cur));
}

}  // namespace xcuda
