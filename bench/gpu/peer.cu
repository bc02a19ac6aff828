// The same kernels and loops as a C++ program built by nvcc; prints one JSON object, times in nanoseconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "kernels.cuh"

#define CHECK(call)                                                                                 \
  if (const cudaError_t result = (call); result != cudaSuccess) {                                   \
    std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(result)); \
    std::exit(1);                                                                                   \
  }

template <class Launch> double median_kernel_time(int runs, Launch launch) {
  cudaEvent_t from, to;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  for (int i = 0; i < 5; ++i) launch();
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    CHECK(cudaEventRecord(from));
    launch();
    CHECK(cudaEventRecord(to));
    CHECK(cudaEventSynchronize(to));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, from, to));
    times.push_back(ms * 1e6);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

double now() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main() {
  const size_t n = 512 * 32768;
  float *x, *y, *out, *a, *b, *c;
  unsigned char* image;
  int* p;
  CHECK(cudaMalloc(&x, n * 4));
  CHECK(cudaMalloc(&y, n * 4));
  CHECK(cudaMalloc(&out, n * 4));
  const int m = 4096;
  CHECK(cudaMalloc(&a, m * m * 4));
  CHECK(cudaMalloc(&b, m * m * 4));
  CHECK(cudaMalloc(&c, m * m * 4));
  CHECK(cudaMalloc(&image, 1024 * 1536));
  CHECK(cudaMalloc(&p, 4));
  CHECK(cudaMemset(x, 0, n * 4));
  CHECK(cudaMemset(y, 0, n * 4));
  CHECK(cudaMemset(a, 0, m * m * 4));
  CHECK(cudaMemset(b, 0, m * m * 4));
  const double t_saxpy = median_kernel_time(100, [&] { saxpy<<<32768, 512>>>(2.0f, x, y, out, n); });
  const double t_matmul = median_kernel_time(20, [&] { matmul<<<dim3(m / 32, m / 32), dim3(32, 32)>>>(a, b, c, m); });
  const double t_mandelbrot =
      median_kernel_time(100, [&] { mandelbrot<<<dim3(32, 16), dim3(32, 8)>>>(image, 1536, 1024, 20); });

  std::vector<double> loops, copies_up, copies_down;
  for (int run = 0; run < 7; ++run) {
    const double start = now();
    for (int i = 0; i < 10000; ++i) tiny<<<1, 32>>>(p);
    CHECK(cudaDeviceSynchronize());
    loops.push_back(now() - start);
  }
  const size_t bytes = size_t{1} << 30;
  char *host, *device;
  CHECK(cudaMallocHost(&host, bytes));
  CHECK(cudaMalloc(&device, bytes));
  for (int run = 0; run < 5; ++run) {
    double start = now();
    CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    copies_up.push_back(now() - start);
    start = now();
    CHECK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
    copies_down.push_back(now() - start);
  }
  const auto median = [](std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
  };
  std::printf(
      "{\"saxpy\": %.0f, \"matmul\": %.0f, \"mandelbrot\": %.0f, \"launches\": %.0f, \"up\": %.0f, \"down\": %.0f}\n",
      t_saxpy, t_matmul, t_mandelbrot, median(loops), median(copies_up), median(copies_down));
}
