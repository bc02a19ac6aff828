// What was computed before, on disk, by its key; shared by any number of processes of one user. What is kept is code
// that is run: the folder is the user's own, and an entry that is not what was stored under this key is removed.
//
// An entry is a file that is written under another name and renamed. Entries not used for longest go first when the
// folder grows over its bound. Whatever goes wrong (a folder of another user, a full disk) is a miss or nothing at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace xcuda {

class DiskCache {
 public:
  static constexpr std::uint64_t kBound = std::uint64_t{512} << 20;  // bytes of all entries

  // An empty path is a cache that holds nothing.
  explicit DiskCache(std::filesystem::path folder, std::uint64_t bound = kBound);

  std::optional<std::vector<std::byte>> find(const std::string& key) const;
  void store(const std::string& key, std::span<const std::byte> content);

 private:
  std::filesystem::path folder_;
  std::uint64_t bound_;
  std::uint64_t stored_;  // bytes since the folder was last measured
};

}  // namespace xcuda
