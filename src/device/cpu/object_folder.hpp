// Compiled objects on disk, so that the next process starts warm. Private to the user, bounded, shared by any number
// of processes. Whatever goes wrong here is a miss.
#pragma once

#include <filesystem>

#include "device/cpu/translator.hpp"

namespace xcuda::device::cpu {

class ObjectFolder : public ObjectStore {
 public:
  static constexpr std::uint64_t default_limit = std::uint64_t{256} << 20;  // bytes

  // Made when missing. The oldest entries go when it grows over the limit.
  explicit ObjectFolder(std::filesystem::path folder = default_folder(), std::uint64_t limit = default_limit);

  static std::filesystem::path default_folder();  // `cpu` in the user's cache folder

  std::optional<std::vector<std::byte>> find(const std::string& key) override;
  void keep(const std::string& key, std::span<const std::byte> object) override;

 private:
  void shrink();

  std::filesystem::path folder_;  // empty: nowhere to keep anything
  std::uint64_t limit_;
  std::uint64_t written_ = 0;  // bytes since the folder was last measured
  bool measured_ = false;
};

}  // namespace xcuda::device::cpu
