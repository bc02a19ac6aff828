// The words by which GPUs wait for each other, each in its own process: host memory that each has page-locked, written
// and looked at by the GPU's stream memory operations.
#pragma once

#include <vector>

#include "device/cuda/owned.hpp"
#include "device/shared_words.hpp"

namespace xcuda::device::cuda {

class GpuWords {
 public:
  GpuWords(const Driver& driver, CUdevice device) : driver_(driver), device_(device) {}

  // False where the GPU, or its driver, has no stream memory operations.
  bool share(const File& words);
  // After all work of the default stream and of these; and before all that they are given later.
  CUresult write(std::uint32_t word, std::uint32_t value, const std::vector<CUstream>& streams);
  CUresult wait(std::uint32_t word, std::uint32_t value, const std::vector<CUstream>& streams);

 private:
  bool works();
  CUdeviceptr at(std::uint32_t word) const { return at_ + word * sizeof(SharedWord); }

  const Driver& driver_;
  CUdevice device_;
  SharedWords words_;
  PageLock lock_;  // of the words
  CUdeviceptr at_ = 0;
  Event joint_;
};

}  // namespace xcuda::device::cuda
