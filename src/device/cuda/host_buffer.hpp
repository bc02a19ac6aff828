// The staging buffer of the CUDA device: host memory that the session maps, too, page-locked for copies at full speed.
#pragma once

#include <cstddef>
#include <span>

#include "base/shared_memory.hpp"
#include "device/cuda/owned.hpp"

namespace xcuda::device::cuda {

class HostBuffer {
 public:
  // given: the session's; when it is empty a buffer of this process's own is made. Error(memory).
  HostBuffer(const Driver& driver, std::span<std::byte> given);

  std::span<std::byte> bytes() const { return bytes_; }
  CUdeviceptr at(std::uint64_t offset) const { return reinterpret_cast<CUdeviceptr>(bytes_.data()) + offset; }

 private:
  SharedMapping own_;
  std::span<std::byte> bytes_;
  PageLock lock_;
};

}  // namespace xcuda::device::cuda
