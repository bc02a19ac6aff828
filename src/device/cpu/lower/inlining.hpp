// Device functions with a barrier of the block in them become part of the kernels that call them: at a barrier a warp's
// registers are saved and other warps go on, which only the kernel itself can do. Functions that end threads, too.
#pragma once

#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

// Inlines such functions. Those that call themselves are part of the kernel once (recursion.hpp), and a call through a
// pointer chooses among those that it may be of (pointed_calls.hpp).
ptx::Module with_barriers_inlined(ptx::Module module);

}  // namespace xcuda::device::cpu
