// libnvJitLink.so.13 for the CPU device. NVIDIA's header calls each function by a name with the header's version.
#include "programs/jumps.hpp"

namespace {

enum Row : int {
#define XCUDA_JIT_LINK_WORKS(name, ...) row_##name,
#define XCUDA_JIT_LINK_PARTLY(name, how, ...) row_##name,
#include "runtime/jit_link/jit_link_functions.def"
#undef XCUDA_JIT_LINK_WORKS
#undef XCUDA_JIT_LINK_PARTLY
};

}  // namespace

XCUDA_JUMP_TABLE(xcuda_jit_link_functions())
#define XCUDA_JIT_LINK_WORKS(name, ...)   \
  XCUDA_JUMP(name, row_##name)            \
  XCUDA_JUMP(__##name##_13_0, row_##name) \
  XCUDA_JUMP(__##name##_13_1, row_##name) \
  XCUDA_JUMP(__##name##_13_2, row_##name) \
  XCUDA_JUMP(__##name##_13_3, row_##name)
#define XCUDA_JIT_LINK_PARTLY(name, how, ...) XCUDA_JIT_LINK_WORKS(name, ...)
#include "runtime/jit_link/jit_link_functions.def"
