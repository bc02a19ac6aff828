// Whether two pointers give the same elements in one order: a kernel has one parameter for both.
#pragma once

#include "arrays/pointer.hpp"

namespace xcuda::arrays {

inline bool same_view(const Pointer& a, const Pointer& b) {
  return a.address == b.address && a.type == b.type && a.shape == b.shape && a.strides == b.strides;
}

}  // namespace xcuda::arrays
