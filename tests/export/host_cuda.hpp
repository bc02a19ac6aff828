// CUDA's part of an exported program on the host, so that a test can run it without a GPU: memory of the host, and a
// launch that runs the threads of a block as coroutines, which change at __syncthreads(). Warps are not told apart.
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <tuple>
#include <vector>

#define __host__
#define __device__
#define __global__
#define __constant__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(threads)
#define __syncthreads host_cuda::change_thread

using std::abs;
using std::max;
using std::min;
using std::size_t;

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
struct float3 {
  float x, y, z;
};
inline dim3 threadIdx, blockIdx, blockDim, gridDim;

enum cudaError_t { cudaSuccess, cudaErrorInvalidValue };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum {
  cudaFuncAttributeMaxDynamicSharedMemorySize,
  cudaLaunchAttributeClusterDimension,
  cudaLaunchAttributeCooperative
};
struct cudaDeviceProp {
  char name[256];
};
using cudaStream_t = void*;
using cudaEvent_t = void*;
struct cudaLaunchAttribute {
  int id;
  struct {
    struct {
      unsigned x, y, z;
    } clusterDim;
    int cooperative;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
  cudaLaunchAttribute* attributes;
  unsigned numAttrs;
};

inline const char* cudaGetErrorString(cudaError_t) { return "an error"; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
template <class T> cudaError_t cudaMalloc(T** memory, size_t bytes) {
  return *memory = static_cast<T*>(std::malloc(bytes)), cudaSuccess;
}
inline cudaError_t cudaFree(void* memory) { return std::free(memory), cudaSuccess; }
inline cudaError_t cudaMemset(void* memory, int value, size_t bytes) {
  return std::memset(memory, value, bytes), cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  return std::memcpy(to, from, bytes), cudaSuccess;
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t = 0,
                                 cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return std::memcpy(to, static_cast<const void*>(&symbol), bytes), cudaSuccess;
}
template <class T> cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, size_t bytes) {
  return std::memcpy(static_cast<void*>(&symbol), from, bytes), cudaSuccess;
}
template <class T> cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
  return *address = (void*)&symbol, cudaSuccess;
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* device, int) {
  return std::strcpy(device->name, "the host"), cudaSuccess;
}
template <class Kernel> cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, Kernel) {
  return *grid = 1, *block = 256, cudaSuccess;
}
template <class Kernel> cudaError_t cudaFuncSetAttribute(Kernel, int, int) { return cudaSuccess; }
template <class... T> cudaError_t cudaLaunchKernelEx(cudaLaunchConfig_t*, void (*)(T...), T...) {
  return cudaErrorInvalidValue;
}
inline cudaError_t cudaStreamCreate(cudaStream_t*) { return cudaSuccess; }
inline cudaError_t cudaEventCreate(cudaEvent_t*) { return cudaSuccess; }
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr) { return cudaSuccess; }
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float* time, cudaEvent_t, cudaEvent_t) { return *time = 0, cudaSuccess; }

inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
inline double rcbrt(double x) { return 1 / std::cbrt(x); }
inline double sinpi(double x) { return std::sin(M_PI * x); }
inline double cospi(double x) { return std::cos(M_PI * x); }
inline double normcdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }
template <class T, class U> T atomicAdd(T* to, U value) {
  const T old = *to;
  *to += value;
  return old;
}

namespace host_cuda {

constexpr size_t kStack = 64 << 10;
struct Thread {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(kStack);
  bool done = false;
};
inline ucontext_t block_context;
inline std::vector<Thread> threads(1024);
inline size_t running = 0;
inline std::function<void()> body;

inline void change_thread() { swapcontext(&threads[running].context, &block_context); }
inline void run_thread() {
  body();
  threads[running].done = true;
  change_thread();
}
inline void run_block() {
  const size_t count = size_t{blockDim.x} * blockDim.y * blockDim.z;
  for (size_t i = 0; i < count; ++i) {
    auto& thread = threads[i];
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.data();
    thread.context.uc_stack.ss_size = kStack;
    thread.done = false;
    makecontext(&thread.context, run_thread, 0);
  }
  for (bool more = true; more;) {
    more = false;
    for (running = 0; running < count; ++running) {
      if (threads[running].done) continue;
      more = true;
      const auto i = static_cast<unsigned>(running);
      threadIdx = dim3(i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y);
      swapcontext(&block_context, &threads[running].context);
    }
  }
}
template <class Kernel> void launch(Kernel kernel, dim3 grid, dim3 block, size_t = 0, cudaStream_t = nullptr) {
  body = kernel;
  gridDim = grid, blockDim = block;
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        blockIdx = dim3(x, y, z);
        run_block();
      }
}

}  // namespace host_cuda
