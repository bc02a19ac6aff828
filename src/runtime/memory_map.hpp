// What memory a program has of the runtime, by address.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "device/memory.hpp"

namespace xcuda::runtime {

struct Allocation {
  enum class Kind : std::uint8_t {
    device,
    array,
    managed,
    pinned,
    registered,
    variable,
    condition,
    opened,  // another process's
    mapped   // by cuMemMap(), what lies side by side as one
  } kind = Kind::device;
  device::Address address = 0;
  std::uint64_t size = 0;        // bytes, as asked for
  unsigned flags = 0;            // of cudaHostAlloc() and cudaHostRegister()
  cudaMemPool_t pool = nullptr;  // of cudaMallocAsync()
  std::uint64_t id = 0;          // unique; 0 for a variable
  bool of_module = false;        // a variable, of the kind `variable` or `managed`
  bool mapped_of_host = false;   // of the kind `mapped`: memory of the host

  // Whether it is the host's memory for those who ask, and for the directions of copies.
  bool is_host() const { return kind == Kind::pinned || kind == Kind::registered || mapped_of_host; }
};

class MemoryMap {
 public:
  explicit MemoryMap(device::Device& device);

  // Allocates from the device's window, which is memory of this process: host and device read it at the same address.
  // Errors: memory.
  device::Address allocate(Allocation allocation);
  // Adds memory that is the program's own. False: a part of it is known already.
  bool add(const Allocation& allocation);
  // Frees memory once the work that used it has ended. False: nothing of these kinds begins there.
  bool free(const void* address, std::initializer_list<Allocation::Kind> kinds);

  std::optional<Allocation> find(const void* address) const;  // the allocation that holds the address
  std::optional<Allocation> at(const void* address) const;    // the allocation that begins there
  // Whether `bytes` from here on are in one allocation, or in unknown memory.
  bool fits(const void* address, std::uint64_t bytes) const;
  // Where other processes find an allocation; none: it is not memory that they can map.
  struct Place {
    int descriptor = -1;       // the map's own
    std::uint64_t offset = 0;  // bytes in its file
  };
  std::optional<Place> place_of(const Allocation& allocation) const;
  std::uint64_t free_bytes() { return device_.info().memory_free; }

 private:
  void name(const Allocation& allocation);

  device::Device& device_;
  mutable std::mutex mutex_;
  device::Memory memory_;
  std::map<device::Address, Allocation> allocations_;
  std::uint64_t made_ = 0;
};

}  // namespace xcuda::runtime
