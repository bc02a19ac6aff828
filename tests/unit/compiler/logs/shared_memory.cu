// sm_80
__global__ void big(int* x) { __shared__ int s[100000]; s[threadIdx.x] = 1; __syncthreads(); *x = s[3]; }
