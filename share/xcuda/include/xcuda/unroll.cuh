// Loops of known length in the kernels that are long. A GPU wants them unrolled. On the CPU device, where a lane's loop is a
// loop over vectors, that gains little and makes the translation six to ten times longer.
#pragma once

#ifdef XCUDA_CPU_DEVICE
#define XCUDA_UNROLL _Pragma("unroll 1")
#else
#define XCUDA_UNROLL _Pragma("unroll")
#endif
