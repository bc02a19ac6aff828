// How long the kernel of a sum takes with other numbers of blocks, and with as many of them on a multiprocessor as fit
// if registers are kept to 32: 2^30 floats and half of them, as one and two GPUs have them.
//   nvcc -O3 -std=c++17 -arch=native -I share/xcuda/include -o reduce_blocks bench/gpu/reduce_blocks.cu &&
//   ./reduce_blocks
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "xcuda/elementwise.cuh"
#include "xcuda/reduce.cuh"

using Index = unsigned;
using Reducer = xcuda::Unfinished<xcuda::Sum<float>>;
using Reduced = xcuda::Reduced<Reducer>;

// As arrays/array_reduce.cpp writes it for a float array whose address is a multiple of 16.
__device__ __forceinline__ void sum(double* out, double* part, const float* x, const xcuda::ReduceShape& shape) {
  const auto read = [&](Index i) { return x[i]; };
  const auto take = [&](Index i, float(&values)[4]) {
    const auto four = *reinterpret_cast<const float4*>(x + i);
    values[0] = four.x, values[1] = four.y, values[2] = four.z, values[3] = four.w;
  };
  xcuda::reduce_rows<Reducer, Index, 4, 4, float>(Reduced{out, part}, shape, read, take);
}
__global__ void __launch_bounds__(256)
    sum_as_it_is(double* out, double* part, const float* x, xcuda::ReduceShape shape) {
  sum(out, part, x, shape);
}
__global__ void __launch_bounds__(256, 8)
    sum_full(double* out, double* part, const float* x, xcuda::ReduceShape shape) {
  sum(out, part, x, shape);
}

#define CHECK(call)                                                       \
  do {                                                                    \
    if (const auto error = (call); error != cudaSuccess) {                \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (false)

int main() {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  constexpr int kRuns = 21;
  float* x = nullptr;
  double *out = nullptr, *part = nullptr;
  CHECK(cudaMalloc(&x, kMost * sizeof(float)));
  CHECK(cudaMalloc(&part, 65536 * sizeof(double)));
  CHECK(cudaMalloc(&out, sizeof(double)));
  CHECK(cudaMemset(x, 0, kMost * sizeof(float)));
  cudaDeviceProp properties{};
  CHECK(cudaGetDeviceProperties(&properties, 0));
  cudaEvent_t from = nullptr, to = nullptr;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  const auto per = static_cast<unsigned long>(properties.multiProcessorCount);
  const auto time = [&](auto* kernel, std::size_t count, unsigned long blocks) {
    const xcuda::ReduceShape shape{1, count, 1, blocks};
    std::vector<float> times;
    for (int i = 0; i < kRuns; ++i) {
      CHECK(cudaEventRecord(from));
      kernel<<<static_cast<unsigned>(blocks), 256>>>(out, part, x, shape);
      CHECK(cudaEventRecord(to));
      CHECK(cudaEventSynchronize(to));
      float milliseconds = 0;
      CHECK(cudaEventElapsedTime(&milliseconds, from, to));
      times.push_back(milliseconds * 1000);
    }
    std::nth_element(times.begin(), times.begin() + kRuns / 2, times.end());
    return times[kRuns / 2];
  };
  std::printf("%s, %lu multiprocessors, medians in µs of %d\n%8s %12s %12s %8s   %12s %12s %8s\n", properties.name, per,
              kRuns, "blocks", "2^30", "2^29", "ratio", "2^30, full", "2^29", "ratio");
  for (const auto blocks : {2048ul, per * 6, per * 8, per * 12, per * 16, per * 24, per * 32, 4096ul, 8192ul}) {
    const auto a = time(sum_as_it_is, kMost, blocks), b = time(sum_as_it_is, kMost / 2, blocks);
    const auto c = time(sum_full, kMost, blocks), d = time(sum_full, kMost / 2, blocks);
    std::printf("%8lu %12.1f %12.1f %8.3f   %12.1f %12.1f %8.3f\n", blocks, a, b, a / b, c, d, c / d);
  }
}
