// Indices of blocks and threads, in words.
#pragma once

#include <fmt/format.h>

#include <string>

#include "device/dim3.hpp"

namespace xcuda::device {

inline std::string index_text(const Dim3& index) { return fmt::format("({}, {}, {})", index.x, index.y, index.z); }

}  // namespace xcuda::device
