// The window of addresses and the memory in it for devices whose memory is the host's: memfds mapped at their place.
#pragma once

#include <cstdint>
#include <map>

#include "base/shared_memory.hpp"
#include "device/device.hpp"

namespace xcuda::device {

int protection_of(Touch touch);  // as mprotect() takes it

class HostWindow {
 public:
  // Reserves the addresses, elsewhere when the place wanted is taken. Errors: memory.
  explicit HostWindow(const Window& wanted, Reserve pages = Reserve::now);
  ~HostWindow();
  HostWindow(const HostWindow&) = delete;
  HostWindow& operator=(const HostWindow&) = delete;

  static constexpr std::uint64_t kGranularity = std::uint64_t{2} << 20;  // bytes, as on a GPU

  const Window& window() const { return window_; }
  Reserve pages() const { return pages_; }  // of memory that is made here

  // Verbs of a Device.
  File create(const MemoryRequest& request);
  void import(const MemoryRequest& request, const File& descriptor);
  void mirror(const MemoryRequest& request, const File& descriptor);
  void guard(const GuardedRange& range) const;
  void destroy(MemoryId id);

  // The piece of memory that holds all of [address, address + size), or nothing.
  const MemoryRequest* find(Address address, std::uint64_t size) const;

 private:
  void check(const MemoryRequest& request) const;
  void check_size(const MemoryRequest& request, const File& descriptor) const;
  void map(const MemoryRequest& request, const File& descriptor, int protection);

  Window window_;
  Reserve pages_;
  std::map<MemoryId, MemoryRequest> pieces_;
  std::map<Address, MemoryId> by_address_;
};

}  // namespace xcuda::device
