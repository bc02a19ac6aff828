// libcuda.so.1 for the CPU device: the names of the Driver API, each a jump to the function of its row.
#include "programs/jumps.hpp"

namespace {

enum Row : int {
#define XCUDA_DRIVER_WORKS(name, since) row_##name,
#define XCUDA_DRIVER_PARTLY(name, since, how) row_##name,
#define XCUDA_DRIVER_REFUSED(name, since, what) row_##name,
#define XCUDA_DRIVER_SAME(name, since, as)
#define XCUDA_DRIVER_THREAD(name, as) row_##name,
#include "runtime/driver/driver_functions.def"
#undef XCUDA_DRIVER_WORKS
#undef XCUDA_DRIVER_PARTLY
#undef XCUDA_DRIVER_REFUSED
#undef XCUDA_DRIVER_SAME
#undef XCUDA_DRIVER_THREAD
};

}  // namespace

XCUDA_JUMP_TABLE(xcuda_driver_functions())
#define XCUDA_DRIVER_WORKS(name, since) XCUDA_JUMP(name, row_##name)
#define XCUDA_DRIVER_PARTLY(name, since, how) XCUDA_JUMP(name, row_##name)
#define XCUDA_DRIVER_REFUSED(name, since, what) XCUDA_JUMP(name, row_##name)
#define XCUDA_DRIVER_SAME(name, since, as) XCUDA_JUMP(name, row_##as)
#define XCUDA_DRIVER_THREAD(name, as) XCUDA_JUMP(name, row_##name)
#include "runtime/driver/driver_functions.def"
