__device__ int f(int a) { return a; }
__device__ int f(float a) { return 1; }
__global__ void k(int* x) {
  *x = f(1, 2);
  *x = f("a");
}
