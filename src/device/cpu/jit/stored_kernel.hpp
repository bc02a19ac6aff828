// A compiled kernel as bytes for the disk cache: its KernelCode, then the object.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "device/cpu/abi/kernel_code.hpp"

namespace xcuda::device::cpu {

struct CompiledKernel {
  KernelCode code;  // without `run`
  std::vector<std::byte> object;
};

std::vector<std::byte> stored(const CompiledKernel& kernel);
// Nothing when the bytes are not such a kernel.
std::optional<CompiledKernel> restored(std::span<const std::byte> bytes);

// The key of a kernel: a digest of everything that can change the object. Its parts are kept apart.
std::string stored_key(std::span<const std::string_view> parts);

}  // namespace xcuda::device::cpu
