// CUB's scans of a device: decoupled look-back.
#include <cub/cub.cuh>

template <class T> void scans(T* in, T* out, int n) {
  size_t bytes = 0;
  cub::DeviceScan::InclusiveSum(nullptr, bytes, in, out, n);
  cub::DeviceScan::ExclusiveScan(nullptr, bytes, in, out, cuda::maximum<>{}, T{}, n);
}
void all(int* i, float* f, double* d, long long* l, int n) {
  scans(i, i, n), scans(f, f, n), scans(d, d, n), scans(l, l, n);
  size_t bytes = 0;
  cub::DeviceScan::InclusiveSumByKey(nullptr, bytes, i, f, f, n);
}
