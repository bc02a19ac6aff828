// 1024 x 768 points of the Mandelbrot set, at most 500 rounds each.
#include "beside.hpp"

constexpr int w = 1024, h = 768, most = 500;

#ifdef __CUDACC__
__host__ __device__
#endif
    inline int
    rounds(int px, int py) {
  const float cx = -2.0f + 3.0f * px / w, cy = -1.2f + 2.4f * py / h;
  float x = 0, y = 0;
  int i = 0;
  for (; i < most && x * x + y * y < 4; ++i) {
    const float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
  }
  return i;
}

#ifdef __CUDACC__
__global__ void draw(int* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * w + x] = rounds(x, y);
}
#endif

int main() {
  std::vector<int> result(w * h);
#ifdef __CUDACC__
  int* out;
  CHECK(cudaMalloc(&out, w * h * sizeof(int)));
  const auto run = [&] {
    draw<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(out);
    CHECK(cudaMemcpy(result.data(), out, w * h * sizeof(int), cudaMemcpyDeviceToHost));
    return 0;
  };
#else
  const auto run = [&] {
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) result[y * w + x] = rounds(x, y);
    return 0;
  };
#endif
  return report(run, [&] {
    double sum = 0;
    for (const int one : result) sum += one;
    return sum;
  });
}
