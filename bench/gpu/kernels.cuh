// The kernels that the GPU benchmark runs, here and in the cells: saxpy, a tiled matrix product, Mandelbrot, nothing.
__global__ void saxpy(float a, const float* x, const float* y, float* out, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}

__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float as[32][32], bs[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, column = blockIdx.x * 32 + tx;
  float sum = 0;
  for (int t = 0; t < n / 32; ++t) {
    as[ty][tx] = a[row * n + t * 32 + tx];
    bs[ty][tx] = b[(t * 32 + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void mandelbrot(unsigned char* out, int width, int height, int iterations) {
  for (int py = blockIdx.y * blockDim.y + threadIdx.y; py < height; py += gridDim.y * blockDim.y)
    for (int px = blockIdx.x * blockDim.x + threadIdx.x; px < width; px += gridDim.x * blockDim.x) {
      const float cx = -2.0f + 3.0f * px / width, cy = -1.0f + 2.0f * py / height;
      float x = 0, y = 0;
      int i = 0;
      for (; i < iterations && x * x + y * y < 4.0f; ++i) {
        const float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
      }
      out[py * width + px] = i;
    }
}

__global__ void tiny(int* p) {
  if (threadIdx.x == 1000) *p = 1;
}
