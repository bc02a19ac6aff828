// The functions of the Driver API as this device has them: with the types in CUDA's header, in their own namespace.
#pragma once

// Every version of a function by its own name, as libcuda.so.1 has them.
#define __CUDA_API_VERSION_INTERNAL  // NOLINT: CUDA's
#include <cuda.h>
#include <cudaProfiler.h>

namespace xcuda::runtime::driver {

#define XCUDA_DRIVER_WORKS(name, since) decltype(::name) name;
#define XCUDA_DRIVER_PARTLY(name, since, how) decltype(::name) name;
#define XCUDA_DRIVER_REFUSED(name, since, what)
#define XCUDA_DRIVER_SAME(name, since, as)
#define XCUDA_DRIVER_THREAD(name, as)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // programs may still call them
#include "runtime/driver/driver_functions.def"
#pragma GCC diagnostic pop
#undef XCUDA_DRIVER_WORKS
#undef XCUDA_DRIVER_PARTLY
#undef XCUDA_DRIVER_REFUSED
#undef XCUDA_DRIVER_SAME
#undef XCUDA_DRIVER_THREAD

}  // namespace xcuda::runtime::driver
