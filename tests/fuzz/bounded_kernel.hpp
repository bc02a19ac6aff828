// A kernel made of a fuzzer's bytes: it ends, reads and writes only its own arrays, and gives the same whatever order
// its warps run in.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "device/dim3.hpp"

namespace xcuda::fuzz {

// Elements of 32 bits, of each array: what all threads read, what each thread writes, what all add to.
constexpr std::uint32_t kInputs = 256, kResults = 4, kSums = 8;

struct BoundedKernel {
  std::string ptx;      // .entry k(.param .u64 inputs, .param .u64 results, .param .u64 sums)
  std::string guarded;  // the same, but sums of indices have a guard, which always holds: they are not folded
  device::Dim3 grid, block;
  std::uint64_t threads() const { return grid.count() * block.count(); }
};

BoundedKernel bounded_kernel(std::span<const std::uint8_t> bytes);

}  // namespace xcuda::fuzz
