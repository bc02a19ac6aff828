#include "device/cuda/host_buffer.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "base/units.hpp"

namespace xcuda::device::cuda {
namespace {

constexpr std::size_t kOwnBytes = std::size_t{64} << 20;

}  // namespace

HostBuffer::HostBuffer(const Driver& driver, CUcontext context, std::span<std::byte> given)
    : driver_(driver),
      own_(given.empty() ? SharedMapping(make_memory_file("staging", kOwnBytes), kOwnBytes) : SharedMapping()),
      bytes_(given.empty() ? own_.bytes() : given) {
  locking_ = std::thread([this, context] {
    locked_ = driver_.cuCtxSetCurrent(context);
    if (locked_ == CUDA_SUCCESS)
      locked_ = driver_.cuMemHostRegister(bytes_.data(), bytes_.size(), CU_MEMHOSTREGISTER_PORTABLE);
  });
}

HostBuffer::~HostBuffer() {
  if (locking_.joinable()) locking_.join();
  if (locked_ == CUDA_SUCCESS) driver_.cuMemHostUnregister(bytes_.data());
}

// Without the lock copies are right all the same, and slower.
CUdeviceptr HostBuffer::at(std::uint64_t offset) {
  if (locking_.joinable()) {
    locking_.join();
    if (locked_ != CUDA_SUCCESS)
      fmt::print(stderr,
                 "xcuda: cannot page-lock the {} host buffer: {}. Copies are slower; ulimit -l may be too low.\n",
                 format_bytes(bytes_.size()), driver_.text(locked_));
  }
  return reinterpret_cast<CUdeviceptr>(bytes_.data()) + offset;
}

}  // namespace xcuda::device::cuda
