// malloc and free of kernels: the host's heap, with CUDA's limit.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "device/cpu/abi/kernel_abi.hpp"

namespace xcuda::device::cpu {

// Thread-safe. Blocks live until they are freed or the heap ends, as on the GPU.
class DeviceHeap {
 public:
  ~DeviceHeap();

  void set_limit(std::uint64_t bytes) { limit_ = bytes; }
  std::uint64_t limit() const { return limit_; }

  std::uint64_t allocate(std::uint64_t bytes);  // 0 when the limit is reached
  bool release(std::uint64_t address);          // false when it is not a block; 0 is always right
  std::optional<AddressRange> find(std::uint64_t address);

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> blocks_;  // address -> bytes
  std::uint64_t limit_ = 8 << 20, used_ = 0;       // CUDA's default limit
};

}  // namespace xcuda::device::cpu
