// Kernels that go wrong on purpose, or that show what a device must report: each on lines of its own.
#include <cuda/std/cassert>

extern "C" {

__device__ int counter = 5;
__device__ float weights[4] = {1, 2, 3, 4};
__constant__ int offset = 100;

__global__ void beyond(float* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = 1;
}

__global__ void before(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i - 1];
}

__global__ void gather(const int* index, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[index[i]];
}

__global__ void rows(float** row, int n) {
  int i = threadIdx.x;
  row[blockIdx.x][i + n] += 1;
}

__global__ void matrix(double* m, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  m[y * width + x] = x;
}

__global__ void shared_beyond(int* out, int k) {
  __shared__ int s[32];
  s[threadIdx.x + k] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[31 - threadIdx.x];
}

__global__ void add_beyond(int* bins, const int* which) {
  int i = threadIdx.x;
  atomicAdd(&bins[which[i]], 1);
}

__global__ void misaligned(float* x) {
  float4* p = (float4*)(x + 1);
  p[threadIdx.x] = make_float4(1, 2, 3, 4);
}

__global__ void variable_beyond(float* out, int i) {
  *out = weights[i];
}

__global__ void check(const int* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(x[i] > 0);
}

__global__ void trapping(int k) {
  if (threadIdx.x == k) __trap();
}

__global__ void hello(int n) {
  if (threadIdx.x < n) printf("block %d thread %d: %s %.2f %lld\n", blockIdx.x, threadIdx.x, "ok", threadIdx.x * 0.5, 1ll << 40);
}

__global__ void bump(int* seen) {
  counter += offset;
  *seen = counter;
}

__global__ void endless(volatile int* until) {
  while (*until == 0) {
  }
}

__global__ void slow(int* x, int steps) {
  int v = 0;
  for (int i = 0; i < steps; ++i) v = v * 1664525 + 1013904223;
  x[threadIdx.x] = v;
}

struct Pair {
  char tag;
  double value;
};
__global__ void by_value(Pair p, short s, float3 f, double* out) {
  out[0] = p.tag, out[1] = p.value, out[2] = s, out[3] = f.x, out[4] = f.y, out[5] = f.z;
}

__global__ void coordinates(unsigned* out) {
  unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned n = blockDim.x * blockDim.y * blockDim.z;
  out[b * n + t] = threadIdx.x | threadIdx.y << 10 | threadIdx.z << 20 | b << 26;
}

}
