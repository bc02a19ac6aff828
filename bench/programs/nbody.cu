// The forces of 8192 bodies on each other.
#include <cmath>

#include "beside.hpp"

constexpr int n = 8192;

#ifdef __CUDACC__
__global__ void forces(float4* force, const float4* body) {
  __shared__ float4 near[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 own = body[i];
  float x = 0, y = 0, z = 0;
  for (int first = 0; first < n; first += 256) {
    near[threadIdx.x] = body[first + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 256; ++j) {
      const float dx = near[j].x - own.x, dy = near[j].y - own.y, dz = near[j].z - own.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), by = near[j].w * inverse * inverse * inverse;
      x += dx * by, y += dy * by, z += dz * by;
    }
    __syncthreads();
  }
  force[i] = make_float4(x, y, z, 0);
}
#else
struct float4 {
  float x, y, z, w;
};
#endif

int main() {
  std::vector<float4> body(n), force(n);
  for (int i = 0; i < n; ++i)
    body[i] = {static_cast<float>(i % 101) / 101, static_cast<float>(i % 37) / 37, static_cast<float>(i % 53) / 53, 1};
#ifdef __CUDACC__
  float4 *from, *to;
  CHECK(cudaMalloc(&from, n * sizeof(float4)));
  CHECK(cudaMalloc(&to, n * sizeof(float4)));
  const auto run = [&] {
    CHECK(cudaMemcpy(from, body.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    forces<<<n / 256, 256>>>(to, from);
    CHECK(cudaMemcpy(force.data(), to, n * sizeof(float4), cudaMemcpyDeviceToHost));
    return 0;
  };
#else
  const auto run = [&] {
    for (int i = 0; i < n; ++i) {
      float x = 0, y = 0, z = 0;
      for (int j = 0; j < n; ++j) {
        const float dx = body[j].x - body[i].x, dy = body[j].y - body[i].y, dz = body[j].z - body[i].z;
        const float inverse = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
        const float by = body[j].w * inverse * inverse * inverse;
        x += dx * by, y += dy * by, z += dz * by;
      }
      force[i] = {x, y, z, 0};
    }
    return 0;
  };
#endif
  return report(run, [&] {
    double sum = 0;
    for (const float4& one : force) sum += std::fabs(one.x) + std::fabs(one.y) + std::fabs(one.z);
    return sum;
  });
}
