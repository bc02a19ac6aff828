// nvcc -cubin -arch=sm_90 -o kernels_sm90.cubin kernels.cu (CUDA 13.0), and -arch=sm_80
struct Pair { double a; char b; };
__constant__ float factors[3];
__device__ int counter = 3;
extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }
__global__ void mix(float* x, char c, Pair pair, short h, const int* y, float3 f) {
  x[threadIdx.x] += c + pair.a + h + y[0] + f.z + counter + factors[1];
}
