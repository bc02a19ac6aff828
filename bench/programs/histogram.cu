// How often each of 256 values occurs among 32 million bytes: in shared memory, then added to those of all blocks.
#include "beside.hpp"

constexpr int n = 1 << 25;

#ifdef __CUDACC__
__global__ void count(unsigned* bins, const unsigned char* values) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&own[values[i]], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
#endif

int main() {
  std::vector<unsigned char> values(n);
  unsigned state = 1;
  for (auto& one : values) one = static_cast<unsigned char>((state = state * 1664525 + 1013904223) >> 24);
  std::vector<unsigned> bins(256);
#ifdef __CUDACC__
  unsigned char* from;
  unsigned* to;
  CHECK(cudaMalloc(&from, n));
  CHECK(cudaMalloc(&to, 256 * sizeof(unsigned)));
  CHECK(cudaMemcpy(from, values.data(), n, cudaMemcpyHostToDevice));
  const auto run = [&] {
    CHECK(cudaMemset(to, 0, 256 * sizeof(unsigned)));
    count<<<256, 256>>>(to, from);
    CHECK(cudaMemcpy(bins.data(), to, 256 * sizeof(unsigned), cudaMemcpyDeviceToHost));
    return 0;
  };
#else
  const auto run = [&] {
    for (unsigned& one : bins) one = 0;
    for (const unsigned char one : values) ++bins[one];
    return 0;
  };
#endif
  return report(run, [&] {
    double sum = 0;
    for (int i = 0; i < 256; ++i) sum += i * static_cast<double>(bins[i]);
    return sum;
  });
}
