// A product of 768 x 768 matrices: in tiles of 16 in shared memory, and in the order of loops that g++ vectorises.
#include "beside.hpp"

constexpr int n = 768, tile = 16;

#ifdef __CUDACC__
__global__ void multiply(float* c, const float* a, const float* b) {
  __shared__ float left[tile][tile], right[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * tile + x, row = blockIdx.y * tile + y;
  float sum = 0;
  for (int k = 0; k < n; k += tile) {
    left[y][x] = a[row * n + k + x];
    right[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
#endif

int main() {
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = static_cast<float>(i % 7), b[i] = static_cast<float>(i % 5);
#ifdef __CUDACC__
  float *x, *y, *z;
  const size_t bytes = n * n * sizeof(float);
  CHECK(cudaMalloc(&x, bytes));
  CHECK(cudaMalloc(&y, bytes));
  CHECK(cudaMalloc(&z, bytes));
  const auto run = [&] {
    CHECK(cudaMemcpy(x, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(y, b.data(), bytes, cudaMemcpyHostToDevice));
    multiply<<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(z, x, y);
    CHECK(cudaMemcpy(c.data(), z, bytes, cudaMemcpyDeviceToHost));
    return 0;
  };
#else
  const auto run = [&] {
    for (float& one : c) one = 0;
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
    return 0;
  };
#endif
  return report(run, [&] {
    double sum = 0;
    for (const float one : c) sum += one;
    return sum;
  });
}
