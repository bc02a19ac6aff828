// CUB's sorts of a device.
#include <cub/cub.cuh>

struct Less {
  template <class T> __device__ bool operator()(const T& a, const T& b) const { return a < b; }
};
void all(unsigned* u, unsigned* v, unsigned long long* l, float* f, double* d, int n, int* offsets) {
  size_t bytes = 0;
  cub::DeviceRadixSort::SortKeys(nullptr, bytes, u, u, n);
  cub::DeviceRadixSort::SortPairs(nullptr, bytes, u, u, v, v, n);
  cub::DeviceRadixSort::SortKeysDescending(nullptr, bytes, l, l, n);
  cub::DeviceRadixSort::SortPairs(nullptr, bytes, f, f, v, v, n);
  cub::DeviceMergeSort::SortKeys(nullptr, bytes, d, n, Less{});
  cub::DeviceMergeSort::SortPairs(nullptr, bytes, u, f, n, Less{});
  cub::DeviceSegmentedSort::SortKeys(nullptr, bytes, u, u, n, 8, offsets, offsets + 1);
}
