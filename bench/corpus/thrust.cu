// Thrust on plain pointers.
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/merge.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

struct Square {
  __device__ float operator()(float x) const { return x * x; }
};
void all(float* f, float* g, int* i, int* j, double* d, int n) {
  using thrust::device;
  thrust::transform(device, f, f + n, g, Square{});
  thrust::transform(device, f, f + n, g, g, thrust::plus<float>{});
  thrust::transform_reduce(device, f, f + n, Square{}, 0.0f, thrust::plus<float>{});
  thrust::sequence(device, i, i + n);
  thrust::merge(device, i, i + n, j, j + n, i);
  thrust::set_union(device, i, i + n, j, j + n, i);
  thrust::set_intersection(device, i, i + n, j, j + n, i);
  thrust::adjacent_difference(device, f, f + n, g);
  thrust::lower_bound(device, f, f + n, g, g + n, i);
  thrust::sort_by_key(device, d, d + n, i, thrust::greater<double>{});
  thrust::unique_by_key(device, i, i + n, f);
  thrust::reduce_by_key(device, i, i + n, f, j, g);
}
