// CUB's selections and runs of a device.
#include <cub/cub.cuh>

struct Even {
  __device__ bool operator()(int value) const { return value % 2 == 0; }
};
void all(int* i, float* f, unsigned char* b, double* d, int* count, int n) {
  size_t bytes = 0;
  cub::DeviceSelect::Unique(nullptr, bytes, i, i, count, n);
  cub::DeviceSelect::Unique(nullptr, bytes, d, d, count, n);
  cub::DeviceSelect::Flagged(nullptr, bytes, f, b, f, count, n);
  cub::DeviceSelect::If(nullptr, bytes, i, i, count, n, Even{});
  cub::DeviceSelect::UniqueByKey(nullptr, bytes, i, f, i, f, count, n);
  cub::DevicePartition::If(nullptr, bytes, i, i, count, n, Even{});
  cub::DeviceReduce::ReduceByKey(nullptr, bytes, i, i, f, f, count, cuda::std::plus<>{}, n);
  cub::DeviceReduce::ReduceByKey(nullptr, bytes, i, i, d, d, count, cuda::maximum<>{}, n);
  cub::DeviceRunLengthEncode::Encode(nullptr, bytes, i, i, count, count, n);
  cub::DeviceRunLengthEncode::NonTrivialRuns(nullptr, bytes, i, i, count, count, n);
}
