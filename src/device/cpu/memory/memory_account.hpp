// How much memory is free: some systems report late what was taken.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>

#include "base/host_memory.hpp"
#include "base/shared_memory.hpp"
#include "device/device.hpp"

namespace xcuda::device::cpu {

class MemoryAccount {
 public:
  // With pages that are taken as they are used nothing else keeps some of them for the rest of the machine.
  explicit MemoryAccount(Reserve pages) : kept_(pages == Reserve::as_used ? kHostReserve : 0) {}

  enum class Origin : std::uint8_t { here, elsewhere };
  void add(const MemoryRequest& request, Origin origin) {
    sizes_[request.id] = static_cast<std::int64_t>(request.size);
    if (origin == Origin::here) taken_ += sizes_[request.id];
  }
  void remove(MemoryId id) {
    taken_ -= sizes_[id];
    sizes_.erase(id);
  }
  std::uint64_t free(std::uint64_t available) const {
    const auto left = static_cast<std::int64_t>(available_at_start_) - taken_.load();
    const auto free = std::min(available, static_cast<std::uint64_t>(std::max<std::int64_t>(left, 0)));
    return free - std::min(free, kept_);
  }

 private:
  static constexpr std::uint64_t kHostReserve = std::uint64_t{256} << 20;

  std::uint64_t kept_;  // bytes
  std::uint64_t available_at_start_ = host_memory().available;
  std::atomic<std::int64_t> taken_{0};  // bytes made here and not given back; less what was there before
  std::map<MemoryId, std::int64_t> sizes_;
};

}  // namespace xcuda::device::cpu
