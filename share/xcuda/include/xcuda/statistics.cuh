// Minimum, maximum, mean and deviation of an array. Two passes, the second around the mean of the first, in double;
// each is a launch over the array and one of a single block, and what is added when depends on the number of elements
// alone.
#pragma once

#include "element.cuh"

namespace xcuda {

// Of finite elements, beside the counts of the others. low and high hold the bits of a Wide; of complex numbers those
// of their magnitudes.
struct StatisticsPart {
  Word64 low, high;
  double sum, imaginary, squares;  // imaginary: the sum of these parts; squares: of the distances from the mean
  Word64 finite, nans, infinities;
};

#ifdef __CUDA_ARCH__

constexpr int kStatisticsBlock = 256;

__device__ __forceinline__ double wide_of_bits(Word64 bits, double) {
  return __longlong_as_double(static_cast<long long>(bits));
}
__device__ __forceinline__ long long wide_of_bits(Word64 bits, long long) { return static_cast<long long>(bits); }
__device__ __forceinline__ Word64 wide_of_bits(Word64 bits, Word64) { return bits; }
__device__ __forceinline__ Word64 bits_of_wide(double value) {
  return static_cast<Word64>(__double_as_longlong(value));
}
__device__ __forceinline__ Word64 bits_of_wide(long long value) { return static_cast<Word64>(value); }
__device__ __forceinline__ Word64 bits_of_wide(Word64 value) { return value; }

template <class Wide> __device__ void merge(StatisticsPart& into, const StatisticsPart& other) {
  if (other.finite > 0) {
    if (into.finite == 0 || wide_of_bits(other.low, Wide()) < wide_of_bits(into.low, Wide())) into.low = other.low;
    if (into.finite == 0 || wide_of_bits(other.high, Wide()) > wide_of_bits(into.high, Wide())) into.high = other.high;
  }
  into.sum += other.sum;
  into.imaginary += other.imaginary;
  into.squares += other.squares;
  into.finite += other.finite;
  into.nans += other.nans;
  into.infinities += other.infinities;
}

template <class Wide> __device__ void merge_block(StatisticsPart part, StatisticsPart* out) {
  __shared__ StatisticsPart parts[kStatisticsBlock];
  parts[threadIdx.x] = part;
  __syncthreads();
  for (int half = kStatisticsBlock / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) merge<Wide>(parts[threadIdx.x], parts[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = parts[0];
}

struct Plane {
  double real, imaginary;
};
template <class T> __device__ __forceinline__ Plane plane_of(const T& value) {
  return {static_cast<double>(widen(value)), 0};
}
template <class T> __device__ __forceinline__ Plane plane_of(const Complex<T>& value) {
  return {static_cast<double>(value.real), static_cast<double>(value.imaginary)};
}

// Of n elements that are `step` apart: the members of vectors are seen one after the other. mean: null in the first
// pass, the first pass' result in the second.
template <class T>
__global__ void __launch_bounds__(kStatisticsBlock)
    statistics_parts(const T* x, Word64 n, Word64 step, StatisticsPart* parts, const StatisticsPart* first) {
  StatisticsPart part = {};
  const bool known = first != nullptr && first->finite != 0;
  const Plane mean = {known ? first->sum / static_cast<double>(first->finite) : 0,
                      known ? first->imaginary / static_cast<double>(first->finite) : 0};
  const Word64 stride = static_cast<Word64>(gridDim.x) * kStatisticsBlock;
  for (Word64 i = static_cast<Word64>(blockIdx.x) * kStatisticsBlock + threadIdx.x; i < n; i += stride) {
    const auto element = x[i * step];
    const auto value = widen(element);
    const Plane at = plane_of(element);
    if (at.real != at.real || at.imaginary != at.imaginary) {
      ++part.nans;
      continue;
    }
    if (at.real - at.real != 0.0 || at.imaginary - at.imaginary != 0.0) {
      ++part.infinities;
      continue;
    }
    const auto bits = bits_of_wide(value);
    if (part.finite == 0 || value < wide_of_bits(part.low, value)) part.low = bits;
    if (part.finite == 0 || value > wide_of_bits(part.high, value)) part.high = bits;
    ++part.finite;
    part.sum += at.real;
    part.imaginary += at.imaginary;
    part.squares += (at.real - mean.real) * (at.real - mean.real) +
                    (at.imaginary - mean.imaginary) * (at.imaginary - mean.imaginary);
  }
  merge_block<typename WideOf<T>::type>(part, parts + blockIdx.x);
}

template <class T>
__global__ void __launch_bounds__(kStatisticsBlock)
    statistics_whole(const StatisticsPart* parts, unsigned n, StatisticsPart* whole) {
  StatisticsPart part = {};
  for (unsigned i = threadIdx.x; i < n; i += kStatisticsBlock) merge<typename WideOf<T>::type>(part, parts[i]);
  merge_block<typename WideOf<T>::type>(part, whole);
}

#endif

}  // namespace xcuda
