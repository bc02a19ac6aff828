// Cooperative groups: tiles, coalesced groups, the grid.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

template <int Lanes, class T> __global__ void tile_sums(const T* in, T* out, int n) {
  auto tile = cg::tiled_partition<Lanes>(cg::this_thread_block());
  T sum{};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sum = cg::reduce(tile, sum, cg::plus<T>());
  if (tile.thread_rank() == 0) atomicAdd(out, sum);
}
template <int Lanes, class T> __global__ void tile_scans(T* data) {
  auto tile = cg::tiled_partition<Lanes>(cg::this_thread_block());
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = cg::inclusive_scan(tile, data[i]) + cg::exclusive_scan(tile, data[i]);
}
__global__ void compact(const int* in, int* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] <= 0) return;
  auto active = cg::coalesced_threads();
  int first = 0;
  if (active.thread_rank() == 0) first = atomicAdd(count, active.size());
  out[active.shfl(first, 0) + active.thread_rank()] = in[i];
}
template <class T> __global__ void grid_sum(const T* in, T* sums, T* out, int n) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  __shared__ T room[32];
  T sum{};
  for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += in[i];
  sum = cg::reduce(tile, sum, cg::plus<T>());
  if (tile.thread_rank() == 0) room[tile.meta_group_rank()] = sum;
  block.sync();
  if (tile.meta_group_rank() == 0) {
    sum = tile.thread_rank() < tile.meta_group_size() ? room[tile.thread_rank()] : T{};
    sum = cg::reduce(tile, sum, cg::plus<T>());
    if (tile.thread_rank() == 0) sums[blockIdx.x] = sum;
  }
  cg::sync(grid);
  if (blockIdx.x == 0 && tile.meta_group_rank() == 0) {
    T all{};
    for (int i = tile.thread_rank(); i < gridDim.x; i += 32) all += sums[i];
    all = cg::reduce(tile, all, cg::plus<T>());
    if (tile.thread_rank() == 0) *out = all;
  }
}
// Conjugate gradients in one kernel: the grid meets five times a step.
__device__ void dot(const float* a, const float* b, double* out, int n, const cg::thread_block& block,
                    const cg::grid_group& grid) {
  extern __shared__ double partial[];
  double sum = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += double(a[i]) * b[i];
  auto tile = cg::tiled_partition<32>(block);
  sum = cg::reduce(tile, sum, cg::plus<double>());
  if (tile.thread_rank() == 0) partial[tile.meta_group_rank()] = sum;
  cg::sync(block);
  if (tile.meta_group_rank() == 0) {
    sum = tile.thread_rank() < tile.meta_group_size() ? partial[tile.thread_rank()] : 0.0;
    sum = cg::reduce(tile, sum, cg::plus<double>());
    if (tile.thread_rank() == 0) atomicAdd(out, sum);
  }
}
__global__ void conjugate_gradients(const int* rows, const int* columns, const float* values, float* x, float* ax,
                                    float* p, float* r, double* dots, int n, float limit) {
  cg::thread_block block = cg::this_thread_block();
  cg::grid_group grid = cg::this_grid();
  float a = 1, b, na, r1;
  auto product = [&](const float* in, float* out) {
    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
      float sum = 0;
      for (int k = rows[i]; k < rows[i + 1]; ++k) sum += values[k] * in[columns[k]];
      out[i] = sum;
    }
  };
  product(x, ax);
  cg::sync(grid);
  for (int i = grid.thread_rank(); i < n; i += grid.size()) r[i] -= ax[i];
  cg::sync(grid);
  dot(r, r, dots, n, block, grid);
  cg::sync(grid);
  r1 = *dots;
  for (int k = 1; r1 > limit * limit && k <= 10000; ++k) {
    b = k > 1 ? r1 / dots[1] : 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) p[i] = r[i] + b * p[i];
    cg::sync(grid);
    product(p, ax);
    if (grid.thread_rank() == 0) dots[2] = 0;
    cg::sync(grid);
    dot(p, ax, dots + 2, n, block, grid);
    cg::sync(grid);
    a = r1 / dots[2];
    for (int i = grid.thread_rank(); i < n; i += grid.size()) x[i] += a * p[i];
    na = -a;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) r[i] += na * ax[i];
    if (grid.thread_rank() == 0) dots[1] = r1, dots[0] = 0;
    cg::sync(grid);
    dot(r, r, dots, n, block, grid);
    cg::sync(grid);
    r1 = *dots;
  }
}
__global__ void staged(const float* in, float* out, int n) {
  extern __shared__ float room[];
  auto block = cg::this_thread_block();
  float sum = 0;
  for (int first = 0; first < n; first += 256) {
    cg::memcpy_async(block, room, in + first, sizeof(float) * 256);
    cg::wait(block);
    sum += room[255 - threadIdx.x];
    block.sync();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void labels(const int* keys, int* out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  auto group = cg::labeled_partition(tile, keys[threadIdx.x] % 5);
  out[threadIdx.x] = cg::reduce(group, keys[threadIdx.x], cg::plus<int>()) + group.shfl(keys[threadIdx.x], 0);
}
#define TILES(T)                                                \
  template __global__ void tile_sums<4, T>(const T*, T*, int);  \
  template __global__ void tile_sums<16, T>(const T*, T*, int); \
  template __global__ void tile_sums<32, T>(const T*, T*, int); \
  template __global__ void tile_scans<8, T>(T*);                \
  template __global__ void tile_scans<32, T>(T*);               \
  template __global__ void grid_sum<T>(const T*, T*, T*, int);
TILES(int) TILES(float) TILES(double)
