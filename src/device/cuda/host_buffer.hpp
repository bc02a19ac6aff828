// The staging buffer of the CUDA device: host memory that the session maps, too. Page-locking its 128 MiB takes 10 to
// 20 ms on an H200 and is done beside what a new process does first; who copies before it is done waits for it.
#pragma once

#include <cstddef>
#include <span>
#include <thread>

#include "base/shared_memory.hpp"
#include "device/cuda/driver.hpp"

namespace xcuda::device::cuda {

class HostBuffer {
 public:
  // given: the session's; when it is empty a buffer of this process's own is made. Error(memory).
  HostBuffer(const Driver& driver, CUcontext context, std::span<std::byte> given);
  ~HostBuffer();
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }
  CUdeviceptr at(std::uint64_t offset);

 private:
  const Driver& driver_;
  SharedMapping own_;
  std::span<std::byte> bytes_;
  CUresult locked_ = CUDA_SUCCESS;
  std::thread locking_;
};

}  // namespace xcuda::device::cuda
