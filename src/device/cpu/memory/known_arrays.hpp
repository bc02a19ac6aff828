// The session's arrays by address, for bounds checks and their messages.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>

#include "device/device.hpp"

namespace xcuda::device::cpu {

class ArrayTable {
 public:
  void name(ArrayRange range) {
    range.element_size = std::max(range.element_size, 1u);
    drop_announced(range.address);
    arrays_.insert_or_assign(range.address, std::move(range));
  }
  // Names an array while launches run, which may look for others. name() follows, when none runs.
  void announce(ArrayRange range);
  void forget(Address address) { arrays_.erase(address); }

  // The array that holds the address, or else the one that ends there (an empty slice at its end points there).
  const ArrayRange* find(Address address) const;
  // The array that holds the address.
  std::optional<ArrayRange> holding(Address address) const {
    const ArrayRange* const range = find(address);
    return range && address - range->address < range->size ? std::optional(*range) : std::nullopt;
  }
  // The one with the highest address that begins at or before this one.
  const ArrayRange* below(Address address) const;
  bool any_in(Address begin, std::uint64_t size) const;  // one begins there
  // The one that begins at the address.
  const ArrayRange* at(Address address) const;

 private:
  void drop_announced(Address address);

  std::map<Address, ArrayRange> arrays_, announced_;
  std::atomic<std::size_t> announcements_{0};  // in announced_
  mutable std::mutex mutex_;                   // of announced_
};

}  // namespace xcuda::device::cpu
