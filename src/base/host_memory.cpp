#include "base/host_memory.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace xcuda {
namespace fs = std::filesystem;
namespace {

// The number in a file that holds one, or after `key` in a file of "key value" lines. Nothing for "max".
std::optional<std::uint64_t> read_number(const fs::path& path, std::string_view key = {}) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    if (!key.empty()) {
      if (word != key) continue;
      if (!(file >> word)) return std::nullopt;
    }
    std::uint64_t value = 0;
    const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
    return result.ec == std::errc{} ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

struct Group {
  const char *limit, *usage, *reclaimable;  // file names; the last is a key of memory.stat
};
constexpr Group kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr Group kVersion2{"memory.max", "memory.current", "inactive_file"};

// Applies the limits of a group and of those above it. In a container the path of the outer hierarchy may not exist.
void apply(HostMemory& memory, const fs::path& mount, std::string_view path, const Group& group) {
  std::error_code error;
  fs::path folder = mount / fs::path(path).relative_path();
  if (!fs::exists(folder, error)) folder = mount;
  for (;; folder = folder.parent_path()) {
    const auto limit = read_number(folder / group.limit), usage = read_number(folder / group.usage);
    if (limit && usage && *limit < std::numeric_limits<std::uint64_t>::max() / 4) {
      const auto reclaimable = read_number(folder / "memory.stat", group.reclaimable).value_or(0);
      const auto used = *usage - std::min(*usage, reclaimable);
      memory.total = std::min(memory.total, *limit);
      memory.available = std::min(memory.available, *limit - std::min(*limit, used));
    }
    if (folder == mount || !folder.has_relative_path()) return;
  }
}

}  // namespace

HostMemory host_memory() {
  HostMemory memory;
  memory.total = read_number("/proc/meminfo", "MemTotal:").value_or(0) * 1024;
  memory.available = read_number("/proc/meminfo", "MemAvailable:").value_or(0) * 1024;
  std::ifstream groups("/proc/self/cgroup");  // lines of id:controllers:path
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto controllers = std::string_view(line).substr(first + 1, second - first - 1);
    const auto path = std::string_view(line).substr(second + 1);
    if (controllers.empty()) apply(memory, "/sys/fs/cgroup", path, kVersion2);
    if (controllers == "memory") apply(memory, "/sys/fs/cgroup/memory", path, kVersion1);
  }
  return memory;
}

}  // namespace xcuda
