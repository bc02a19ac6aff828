// Extents and indices of grids and blocks, and addresses of a device.
#pragma once

#include <cstdint>

namespace xcuda::device {

using Address = std::uint64_t;  // of the session's window or of module memory

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

}  // namespace xcuda::device
