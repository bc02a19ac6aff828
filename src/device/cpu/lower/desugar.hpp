// Instructions that are made of others: barriers of a count of threads, jumps through a table, the stack of alloca().
#pragma once

#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

ptx::Module desugared(ptx::Module module);

}  // namespace xcuda::device::cpu
