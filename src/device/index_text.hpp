// Parts of faults in words: indices of blocks and threads, and the kind of access.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "device/dim3.hpp"
#include "device/fault.hpp"

namespace xcuda::device {

inline std::string index_text(const Dim3& index) { return fmt::format("({}, {}, {})", index.x, index.y, index.z); }

inline std::string_view access_name(Access access) {
  switch (access) {
    case Access::read: return "read";
    case Access::write: return "write";
    case Access::atomic: return "atomic update";
    case Access::unknown: break;
  }
  return "access";
}

}  // namespace xcuda::device
