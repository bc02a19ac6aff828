// Which device of a set each address lives on, where the devices share no memory. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "device/memory_requests.hpp"

namespace xcuda::device::ranks {

class Owners {
 public:
  // What a device has of the memory: whole granules, so that two neighbours may both have the granule between them.
  static std::vector<MemoryRequest> pieces_of(const MemoryRequest& request, std::uint64_t granularity);

  void add(const MemoryRequest& request);
  void remove(MemoryId id);

  struct Run {
    Address begin = 0;
    std::uint64_t bytes = 0;
    std::optional<std::uint32_t> device;  // none: an address of a process, not of the session
  };
  // The first of these addresses that live on one device.
  Run run_at(Address from, std::uint64_t bytes) const;
  std::vector<Run> runs(Address from, std::uint64_t bytes) const;

 private:
  struct Part {
    Address end = 0;
    std::uint32_t device = 0;
  };
  std::map<Address, Part> parts_;  // by where they begin, byte by byte
  std::map<MemoryId, std::vector<Address>> by_id_;
};

}  // namespace xcuda::device::ranks
