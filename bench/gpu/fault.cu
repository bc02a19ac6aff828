// How long CUDA itself takes to tell of a fault, and a process to leave after one. Prints milliseconds until the error
// is told; what the process takes to end is the caller's to measure.
#include <chrono>
#include <cstdio>
#include <cstdlib>

__global__ void trap() { asm volatile("trap;"); }
__global__ void nothing() {}

int main() {
  nothing<<<1, 1>>>();
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  const auto start = std::chrono::steady_clock::now();
  trap<<<1, 1>>>();
  const cudaError_t result = cudaDeviceSynchronize();
  std::printf("%.1f\n", std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  std::fflush(stdout);
  std::_Exit(result == cudaSuccess ? 1 : 0);
}
