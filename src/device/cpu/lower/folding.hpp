// Indices that were taken apart and put together again: `i / w * w + i % w` is i. As the sum of two vectors nothing
// would be known of it, and an access would gather; as i, the index of a thread, it is a contiguous one.
#pragma once

#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

// Each sum of integers in which products or quotients cancel each other, and that is then a register or the sum of a
// few, is written as that: with w = %r2, `mad.lo.s32 %r9, %r5, %r2, %r8` becomes `mov.b32 %r9, %r1`. Exact for all
// values of the registers.
ptx::Module with_indices_folded(ptx::Module module);

}  // namespace xcuda::device::cpu
