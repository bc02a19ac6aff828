// Fills and copies in the host's memory.
#pragma once

#include "device/device.hpp"

namespace xcuda::device::cpu {

// From the first byte to after the last one of a rectangle; nothing when that overflows.
std::optional<std::uint64_t> extent_of(std::uint64_t width, std::uint64_t height, std::uint64_t pitch);

void fill_patterns(std::byte* to, const FillRequest& request);
// Rows from `from` to `to`, which may overlap.
void copy_rows(std::byte* to, const std::byte* from, const CopyRequest& request);

}  // namespace xcuda::device::cpu
