// What marks the branch of a bounds check, so that a loop's checks can be found, and a function for one thread.
#pragma once

namespace xcuda::device::cpu {

inline constexpr const char* kBoundsMark = "xcuda.bounds";
inline constexpr const char* kOneThreadMark = "xcuda-one-thread";

}  // namespace xcuda::device::cpu
