// The kernels of the contract suite; kernels.ptx is made from this file:
//   nvcc --ptx -arch=compute_80 -O2 tests/contract/kernels.cu -o tests/contract/kernels.ptx
// The fake has the same kernels as host functions.
#include <cstdio>

extern "C" {

__device__ unsigned counter = 7;
__constant__ unsigned table[4] = {1, 2, 3, 4};

__global__ void add_one(unsigned* x, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}

__global__ void scale(float* y, const float* x, float a, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}

__global__ void write_index(unsigned* x, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;
}

__global__ void bump(unsigned* seen) {  // of one thread
  counter += table[1];
  *seen = counter;
}

__global__ void fault() { *(volatile unsigned*)nullptr = 1; }

__global__ void trap() { asm("trap;"); }

__global__ void endless(volatile unsigned* until) {
  while (*until == 0) {}
}

__global__ void say(unsigned value) { printf("value %u\n", value); }

}
