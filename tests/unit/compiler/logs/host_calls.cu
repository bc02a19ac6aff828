__managed__ int m;
__global__ void k(int* x) { __syncthread(); cudaMalloc((void**)&x, 3); k<<<1, 1>>>(x); }
