// Code without a loop, and a loop unrolled, of several lengths.
template <int Count> __global__ void chain(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = data[i], y = 1;
#pragma unroll
  for (int k = 0; k < Count; ++k) {
    y = fmaf(x, y, k);
    x = x > y ? x - 0.5f * y : x * 1.01f;
  }
  data[i] = x + y;
}
template <int Count> __global__ void loads(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < Count; ++k) sum += in[(i * (k % 7 + 1) + k * k) % n];
  out[i] = sum;
}
template <int Count> __global__ void branches(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int value = in[i];
#pragma unroll
  for (int k = 0; k < Count; ++k) {
    if (value & (1 << k % 16)) {
      value = value * 5 + out[(i + k) % n];
    } else {
      value ^= in[(i + value) % n];
    }
  }
  out[i] = value;
}
template <int Count> __global__ void maths(double* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = data[i];
#pragma unroll
  for (int k = 0; k < Count; ++k) x = sin(x) + pow(x, 1.5) / (k + exp(x));
  data[i] = x;
}
template <int Rows, int Columns> __global__ void tiles(const float* a, const float* b, float* c, int n) {
  __shared__ float left[16][64 + 1], right[16][64 + 1];
  float sums[Rows][Columns] = {};
  for (int tile = 0; tile < n; tile += 16) {
    for (int k = threadIdx.y; k < 16; k += 16) {
      for (int i = threadIdx.x; i < 64; i += 16) {
        left[k][i] = a[(blockIdx.y * 64 + i) * n + tile + k];
        right[k][i] = b[(tile + k) * n + blockIdx.x * 64 + i];
      }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k)
#pragma unroll
      for (int i = 0; i < Rows; ++i)
#pragma unroll
        for (int j = 0; j < Columns; ++j)
          sums[i][j] += left[k][threadIdx.y * Rows + i] * right[k][threadIdx.x * Columns + j];
    __syncthreads();
  }
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Columns; ++j)
      c[(blockIdx.y * 16 * Rows + threadIdx.y * Rows + i) * n + blockIdx.x * 16 * Columns + threadIdx.x * Columns + j] =
          sums[i][j];
}
#define LENGTHS(N)                                              \
  template __global__ void chain<N>(float*, int);               \
  template __global__ void loads<N>(const float*, float*, int); \
  template __global__ void branches<N>(const int*, int*, int);
LENGTHS(2) LENGTHS(8) LENGTHS(32) LENGTHS(128) LENGTHS(400) template __global__ void chain<2000>(float*, int);
template __global__ void maths<1>(double*, int);
template __global__ void maths<4>(double*, int);
template __global__ void maths<16>(double*, int);
template __global__ void tiles<2, 2>(const float*, const float*, float*, int);
template __global__ void tiles<4, 4>(const float*, const float*, float*, int);
template __global__ void tiles<4, 1>(const float*, const float*, float*, int);
