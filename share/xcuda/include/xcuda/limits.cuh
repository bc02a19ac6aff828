// What a device reaches: a copy and an update in place, which its memory limits, and multiplications with additions,
// which its arithmetic does.
#pragma once

#include "element.cuh"

namespace xcuda {

constexpr int kLimitsBlock = 256;
// Of each thread in a round: chains that do not wait for each other, and steps of each.
constexpr int kChains = 8, kSteps = 16;

#ifdef __CUDA_ARCH__

// An element for each thread: of 16 bytes, the most that a GPU loads at once, and of 4, which make a row of a warp one
// vector on the CPU device.
__global__ void __launch_bounds__(kLimitsBlock) copy_wide(float4* to, const float4* from) {
  const Word64 i = static_cast<Word64>(blockIdx.x) * kLimitsBlock + threadIdx.x;
  to[i] = from[i];
}
__global__ void __launch_bounds__(kLimitsBlock) copy_narrow(float* to, const float* from) {
  const Word64 i = static_cast<Word64>(blockIdx.x) * kLimitsBlock + threadIdx.x;
  to[i] = from[i];
}

// To copy, a processor also reads the lines that it is going to overwrite, which the program does not ask for. An
// update in place has no such extra reads.
__global__ void __launch_bounds__(kLimitsBlock) update_wide(float4* x) {
  const Word64 i = static_cast<Word64>(blockIdx.x) * kLimitsBlock + threadIdx.x;
  const float4 v = x[i];
  x[i] = make_float4(-v.x, -v.y, -v.z, -v.w);
}
__global__ void __launch_bounds__(kLimitsBlock) update_narrow(float* x) {
  const Word64 i = static_cast<Word64>(blockIdx.x) * kLimitsBlock + threadIdx.x;
  x[i] = -x[i];
}

__global__ void __launch_bounds__(kLimitsBlock) multiply_and_add(float* out, float a, float b, int rounds) {
  float x[kChains];
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain) x[chain] = static_cast<float>(threadIdx.x + chain);
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int step = 0; step < kSteps; ++step)
#pragma unroll
      for (int chain = 0; chain < kChains; ++chain) x[chain] = fmaf(x[chain], a, b);
  float sum = 0;  // so that nothing is left out
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain) sum += x[chain];
  out[static_cast<Word64>(blockIdx.x) * kLimitsBlock + threadIdx.x] = sum;
}

#endif

}  // namespace xcuda
