// What generated functions tell LLVM's passes: the branch of a bounds check, so that a loop's checks can be found, that
// a function is for one thread, and what it may take of the stack.
#pragma once

namespace xcuda::device::cpu {

inline constexpr const char* kBoundsMark = "xcuda.bounds";
inline constexpr const char* kOneThreadMark = "xcuda-one-thread";

// Bytes that a function may take of a thread's stack, which usually has 8 MiB.
inline constexpr unsigned kMostStack = 6 << 20;

}  // namespace xcuda::device::cpu
