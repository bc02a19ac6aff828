// libcudart.so.13 for the CPU device: the names of the CUDA Runtime, each a jump to the function of its row.
#include "programs/jumps.hpp"

namespace {

enum Row : int {
#include "programs/runtime_rows.def"
};

}  // namespace

XCUDA_JUMP_TABLE(xcuda_runtime_functions())
#define XCUDA_RUNTIME_WORKS(name) XCUDA_JUMP(name, row_##name)
#define XCUDA_RUNTIME_PARTLY(name, how) XCUDA_JUMP(name, row_##name)
#define XCUDA_RUNTIME_REFUSED(name, what) XCUDA_JUMP(name, row_##name)
#define XCUDA_RUNTIME_THREAD(name, as) XCUDA_JUMP(name, row_##name)
#include "runtime/functions.def"
