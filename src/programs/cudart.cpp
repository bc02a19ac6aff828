// libcudart.so.13 for the CPU device: the names of the CUDA Runtime, each a jump to the function of its row.
#include "programs/cpu_library.hpp"

namespace {

enum Row : int {
#define XCUDA_RUNTIME_WORKS(name) row_##name,
#define XCUDA_RUNTIME_PARTLY(name, how) row_##name,
#define XCUDA_RUNTIME_REFUSED(name, what) row_##name,
#define XCUDA_RUNTIME_SAME(name, as)
#include "runtime/functions.def"
#undef XCUDA_RUNTIME_WORKS
#undef XCUDA_RUNTIME_PARTLY
#undef XCUDA_RUNTIME_REFUSED
#undef XCUDA_RUNTIME_SAME
};

}  // namespace

// Known when this library is loaded, before anything that needs it.
extern "C" {
__attribute__((visibility("hidden"))) const void* const* xcuda_functions = xcuda_runtime_functions();
}

// The arguments are where they are: only a register that calls may destroy is used.
#define XCUDA_JUMP(name, row)                           \
  extern "C" __attribute__((naked)) void name() {       \
    asm volatile(                                       \
        "movq xcuda_functions(%%rip), %%r11\n\t"        \
        "jmpq *%c0(%%r11)" ::"i"(row * sizeof(void*))); \
  }
#define XCUDA_RUNTIME_WORKS(name) XCUDA_JUMP(name, row_##name)
#define XCUDA_RUNTIME_PARTLY(name, how) XCUDA_JUMP(name, row_##name)
#define XCUDA_RUNTIME_REFUSED(name, what) XCUDA_JUMP(name, row_##name)
#define XCUDA_RUNTIME_SAME(name, as) XCUDA_JUMP(name, row_##as)
#include "runtime/functions.def"
