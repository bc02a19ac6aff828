// cuRAND's generators in kernels.
#include <curand_kernel.h>

template <class State> __global__ void uniform(float* out, int n, unsigned long long seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  State state;
  curand_init(seed, i, 0, &state);
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += curand_uniform(&state);
  out[i] = sum;
}
template <class State> __global__ void normal(double* out, int n, unsigned long long seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  State state;
  curand_init(seed, i, 0, &state);
  out[i] = curand_normal_double(&state);
}
template <class State> __global__ void poisson(unsigned* out, int n, double lambda) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  State state;
  curand_init(1, i, 0, &state);
  out[i] = curand_poisson(&state, lambda);
}
__global__ void normal4(float4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  curandStatePhilox4_32_10_t state;
  curand_init(7, i, 0, &state);
  out[i] = curand_normal4(&state);
}
template __global__ void uniform<curandStatePhilox4_32_10_t>(float*, int, unsigned long long);
template __global__ void uniform<curandStateXORWOW_t>(float*, int, unsigned long long);
template __global__ void uniform<curandStateMRG32k3a_t>(float*, int, unsigned long long);
template __global__ void normal<curandStatePhilox4_32_10_t>(double*, int, unsigned long long);
template __global__ void normal<curandStateXORWOW_t>(double*, int, unsigned long long);
template __global__ void normal<curandStateMRG32k3a_t>(double*, int, unsigned long long);
template __global__ void poisson<curandStatePhilox4_32_10_t>(unsigned*, int, double);
template __global__ void poisson<curandStateXORWOW_t>(unsigned*, int, double);
