// cuBLASLt and cuFFT called from C++, for bench/gpu/libraries.py: reads a case and a number of calls from each line of
// its input, and prints the seconds of one call; "first CASE" is the first call of all, with what opens the library.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cufft.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

#define CHECK(call)                                                             \
  if (const auto result = static_cast<int>(call); result != 0) {                \
    std::fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, result); \
    std::exit(1);                                                               \
  }

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <class T> __global__ void spread(T* to, size_t n, unsigned seed) {
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
    unsigned long long x = (i + 1) * 0x9E3779B97F4A7C15ull + seed;
    x = (x ^ (x >> 31)) * 0xBF58476D1CE4E5B9ull;
    // In [-1, 1), with as many bits as the session's factors: fewer take less power, and the clock is higher.
    if constexpr (sizeof(T) == sizeof(double))
      to[i] = T(double(x >> 11) * 0x1p-52 - 1.0);
    else
      to[i] = T(float(x >> 40) * (2.0f / 16777216.0f) - 1.0f);
  }
}

template <class T> struct Memory {
  T* at = nullptr;
  explicit Memory(size_t count, unsigned seed = 1) {
    CHECK(cudaMalloc(&at, count * sizeof(T)));
    spread<<<1024, 256>>>(at, count, seed);
    CHECK(cudaDeviceSynchronize());
  }
  ~Memory() { cudaFree(at); }
};

using Call = std::function<void()>;
double time_of(const Call& call, int count) {
  CHECK(cudaDeviceSynchronize());
  const double begun = seconds();
  for (int i = 0; i < count; ++i) call();
  CHECK(cudaDeviceSynchronize());
  return (seconds() - begun) / count;
}

// Rows by rows is the transposed product in the order of columns; workspace and choice as the session has them.
template <class T> struct Product {
  static constexpr size_t kWorkspace = 32 << 20;
  Memory<T> a, b, c;
  Memory<char> workspace{kWorkspace};
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t description;
  cublasLtMatrixLayout_t layout;
  cublasLtMatmulAlgo_t algorithm;

  Product(int n, cudaDataType type, cublasComputeType_t compute, cudaDataType scale)
      : a(size_t(n) * n, 1), b(size_t(n) * n, 2), c(size_t(n) * n) {
    CHECK(cublasLtCreate(&handle));
    CHECK(cublasLtMatmulDescCreate(&description, compute, scale));
    CHECK(cublasLtMatrixLayoutCreate(&layout, type, n, n, n));
    cublasLtMatmulPreference_t preference;
    CHECK(cublasLtMatmulPreferenceCreate(&preference));
    CHECK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace,
                                               sizeof kWorkspace));
    cublasLtMatmulHeuristicResult_t best;
    int found = 0;
    CHECK(cublasLtMatmulAlgoGetHeuristic(handle, description, layout, layout, layout, layout, preference, 1, &best,
                                         &found));
    algorithm = best.algo;
    CHECK(cublasLtMatmulPreferenceDestroy(preference));
  }
  ~Product() {
    cublasLtMatrixLayoutDestroy(layout);
    cublasLtMatmulDescDestroy(description);
    cublasLtDestroy(handle);
  }
  template <class Scale> void multiply() {
    const Scale one = 1, zero = 0;
    CHECK(cublasLtMatmul(handle, description, &one, b.at, layout, a.at, layout, &zero, c.at, layout, c.at, layout,
                         &algorithm, workspace.at, kWorkspace, nullptr));
  }
};

template <class T, class Scale>
double product(int count, cudaDataType type, cublasComputeType_t compute, cudaDataType scale) {
  Product<T> made(8192, type, compute, scale);
  time_of([&] { made.template multiply<Scale>(); }, 3);
  return time_of([&] { made.template multiply<Scale>(); }, count);
}

double transform(int count, int rank, int n) {
  const size_t all = rank == 2 ? size_t(n) * n : size_t(n);
  Memory<float> from(2 * all), to(2 * all);
  cufftHandle plan;
  if (rank == 2) {
    CHECK(cufftPlan2d(&plan, n, n, CUFFT_C2C));
  } else {
    CHECK(cufftPlan1d(&plan, n, CUFFT_C2C, 1));
  }
  const auto run = [&] {
    CHECK(cufftExecC2C(plan, reinterpret_cast<cufftComplex*>(from.at), reinterpret_cast<cufftComplex*>(to.at),
                       CUFFT_FORWARD));
  };
  time_of(run, 3);
  const double each = time_of(run, count);
  CHECK(cufftDestroy(plan));
  return each;
}

double first(const std::string& name) {
  CHECK(cudaFree(nullptr));  // the context is not the library's
  const double begun = seconds();
  if (name == "matmul") {
    Product<float> made(64, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    made.multiply<float>();
    CHECK(cudaDeviceSynchronize());
  } else {
    transform(1, 1, 1024);
  }
  return seconds() - begun;
}

int main() {
  const std::map<std::string, std::function<double(int)>> cases = {
      {"bfloat16", [](int n) { return product<__nv_bfloat16, float>(n, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F); }},
      {"float", [](int n) { return product<float, float>(n, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F); }},
      {"tf32", [](int n) { return product<float, float>(n, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F); }},
      {"double", [](int n) { return product<double, double>(n, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F); }},
      {"fft", [](int n) { return transform(n, 1, 1 << 24); }},
      {"fft2", [](int n) { return transform(n, 2, 4096); }},
  };
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name == "first") {
      words >> name;
      std::cout << first(name) << std::endl;
      continue;
    }
    int count = 1;
    words >> count;
    std::cout << cases.at(name)(count) << std::endl;
  }
}
