// A program of bench/programs is compiled twice: by nvcc for a device, and by g++ for the host.
#pragma once

#include <chrono>
#include <cstdio>
#include <vector>

#ifdef __CUDACC__
#define CHECK(call)                                            \
  if (cudaError_t error = (call); error != cudaSuccess) {      \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error)); \
    return 1;                                                  \
  }
#endif

// Prints what was computed, and the seconds that `run` took once it had run before.
template <class Run, class Value> int report(Run run, Value value) {
  if (run() != 0) return 1;
  const auto begin = std::chrono::steady_clock::now();
  if (run() != 0) return 1;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%.6g %.6f\n", static_cast<double>(value()), took.count());
  return 0;
}
