// Functions that call themselves and have a barrier of the block, or the end of a thread, in them. Such a function is
// part of the kernel once: a call is a jump to it, and its end a jump to what comes after the call. What its caller has
// to keep, its parameters and its local variables lie on a stack in the thread's local memory.
#pragma once

#include <string_view>
#include <vector>

#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

// Provided by the device: too many calls are nested. Its argument is how many bytes the stack has.
inline constexpr std::string_view kTooDeep = "xcuda_too_deep";

struct Recursion {
  const ptx::Module& module;
  const std::vector<bool>& chosen;  // the functions, by index
  ptx::Index too_deep;              // the function of that name
};
// Calls stay calls if one of their arguments is in a register, or a function keeps registers of 128 bits.
void enter_by_jumps(ptx::Function& kernel, const Recursion& recursion);

}  // namespace xcuda::device::cpu
