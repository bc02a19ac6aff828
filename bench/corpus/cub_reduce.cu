// CUB's reductions and histograms of a device.
#include <cub/cub.cuh>

void all(int* i, float* f, double* d, unsigned char* b, cub::KeyValuePair<int, float>* best, int* offsets, int n) {
  size_t bytes = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, i, i, n);
  cub::DeviceReduce::Sum(nullptr, bytes, f, f, n);
  cub::DeviceReduce::Sum(nullptr, bytes, d, d, n);
  cub::DeviceReduce::Max(nullptr, bytes, f, f, n);
  cub::DeviceReduce::ArgMin(nullptr, bytes, f, best, n);
  cub::DeviceSegmentedReduce::Sum(nullptr, bytes, f, f, 8, offsets, offsets + 1);
  cub::DeviceSegmentedReduce::Max(nullptr, bytes, i, i, 8, offsets, offsets + 1);
  cub::DeviceHistogram::HistogramEven(nullptr, bytes, b, i, 257, 0, 256, n);
  cub::DeviceHistogram::HistogramEven(nullptr, bytes, f, i, 65, 0.0f, 1.0f, n);
}
