// Meeting points in divergent code: how compile time grows with them. -D COUNT: how many.
template <int I> struct Step {
  static __device__ __forceinline__ int run(int value, int n) {
    value = Step<I / 2>::run(value, n);
    return Step<I - I / 2>::run(value, n);
  }
};
template <> struct Step<1> {
  static __device__ __forceinline__ int run(int value, int n) {
    if (value % 3 != n) value += __shfl_xor_sync(__activemask(), value, 5) * 7;
    return value;
  }
};
template <int Count> __global__ void shuffles(int* data, int n) {
  data[threadIdx.x] = Step<Count>::run(data[threadIdx.x], n);
}
template <int Count> __global__ void barriers(int* data, int n) {
  __shared__ int room[256];
  int value = data[threadIdx.x];
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    room[threadIdx.x] = value;
    __syncthreads();
    if (value % 3 != n) value += room[(threadIdx.x + i) & 255];
    __syncthreads();
  }
  data[threadIdx.x] = value;
}
template <int Count> __global__ void spins(volatile int* flags, int* data) {
  int value = data[threadIdx.x];
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    while (flags[i + value % 2] == 0) {}
    value += 3;
  }
  data[threadIdx.x] = value;
}
#define COUNTS(N)                                        \
  template __global__ void shuffles<N>(int*, int);       \
  template __global__ void barriers<(N) / 2>(int*, int); \
  template __global__ void spins<N>(volatile int*, int*);
COUNTS(20) COUNTS(200) COUNTS(2000)
