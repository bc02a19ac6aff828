// libcublas.so.13 and its siblings for the CPU device: the names of a library of CUDA's, each a jump to the function of
// its row. The build names the rows and the library.
#include "programs/jumps.hpp"

namespace {

enum Row : int {
#define XCUDA_MATH_WORKS(name, ...) row_##name,
#define XCUDA_MATH_PARTLY(name, how, ...) row_##name,
#define XCUDA_MATH_REFUSED(name, what) row_##name,
#include XCUDA_MATH_ROWS
#undef XCUDA_MATH_WORKS
#undef XCUDA_MATH_PARTLY
#undef XCUDA_MATH_REFUSED
};

}  // namespace

XCUDA_JUMP_TABLE(xcuda_math_functions(XCUDA_MATH_LIBRARY))
#define XCUDA_MATH_WORKS(name, ...) XCUDA_JUMP(name, row_##name)
#define XCUDA_MATH_PARTLY(name, how, ...) XCUDA_JUMP(name, row_##name)
#define XCUDA_MATH_REFUSED(name, what) XCUDA_JUMP(name, row_##name)
#include XCUDA_MATH_ROWS
