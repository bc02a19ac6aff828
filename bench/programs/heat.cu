// 200 steps of heat on 1024 x 1024 points: five points for each.
#include "beside.hpp"

constexpr int n = 1024, steps = 200;

#ifdef __CUDACC__
__global__ void step(float* to, const float* from) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  const int i = y * n + x;
  to[i] = from[i] + 0.2f * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n] - 4 * from[i]);
}
#endif

int main() {
  std::vector<float> start(n * n);
  for (int i = 0; i < n * n; ++i) start[i] = static_cast<float>(i % 100) / 100;
  std::vector<float> result(n * n);
#ifdef __CUDACC__
  float *a, *b;
  CHECK(cudaMalloc(&a, n * n * sizeof(float)));
  CHECK(cudaMalloc(&b, n * n * sizeof(float)));
  const auto run = [&] {
    CHECK(cudaMemcpy(a, start.data(), n * n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, a, n * n * sizeof(float), cudaMemcpyDeviceToDevice));
    const dim3 block(32, 8), grid(n / 32, n / 8);
    for (int i = 0; i < steps; i += 2) step<<<grid, block>>>(b, a), step<<<grid, block>>>(a, b);
    CHECK(cudaMemcpy(result.data(), a, n * n * sizeof(float), cudaMemcpyDeviceToHost));
    return 0;
  };
#else
  std::vector<float> a, b;
  const auto step = [](float* __restrict to, const float* __restrict from) {
    for (int y = 1; y < n - 1; ++y)
      for (int x = 1; x < n - 1; ++x) {
        const int i = y * n + x;
        to[i] = from[i] + 0.2f * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n] - 4 * from[i]);
      }
  };
  const auto run = [&] {
    a = b = start;
    for (int i = 0; i < steps; i += 2) step(b.data(), a.data()), step(a.data(), b.data());
    result = a;
    return 0;
  };
#endif
  return report(run, [&] {
    double sum = 0;
    for (const float one : result) sum += one;
    return sum;
  });
}
