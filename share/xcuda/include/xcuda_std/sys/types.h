// What glibc's header gives programs by way of others, as <cuda_runtime.h> includes it. Its ulong is left out: many
// programs define another one.
#pragma once
typedef unsigned int uint;
typedef unsigned short ushort;
