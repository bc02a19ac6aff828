// What a display shows of an array that has more elements than a screen has pixels: means of tiles, extremes of
// columns, counts of bins. Indices are of 64 bits, as an array may have more than 2^32 elements.
#pragma once

#include "element.cuh"

namespace xcuda {

// Samples of an image: sample (x, y, c) of the array is at x * across + y * down + c * deep. Each pixel is the mean
// of `side` by `side` of them, or of as many as there are at the right and at the bottom.
struct TileRule {
  Word64 width, height, channels;  // of the array
  Word64 across, down, deep;       // elements
  Word64 side;
};

// Where a value falls among equal bins between two limits; both limits belong to a bin.
struct BinRule {
  double low, high;
  Word64 bins;
  Word64 logarithmic;  // 1: bins of equal factors
};

// Of the finite elements of a part of an array.
struct StripPart {
  double sum;
  Word64 count;
};

#ifdef __CUDA_ARCH__

constexpr int kPictureBlock = 256;

__device__ __forceinline__ Word64 picture_thread() {
  return static_cast<Word64>(blockIdx.x) * kPictureBlock + threadIdx.x;
}

// One thread for each sample of the result. NaNs are left out; a tile of nothing else is NaN.
template <class T> __global__ void __launch_bounds__(kPictureBlock) tile_means(const T* x, TileRule rule, float* out) {
  const Word64 wide = (rule.width + rule.side - 1) / rule.side, high = (rule.height + rule.side - 1) / rule.side;
  const Word64 at = picture_thread();
  if (at >= wide * high * rule.channels) return;
  const Word64 channel = at % rule.channels, column = at / rule.channels % wide, row = at / rule.channels / wide;
  const Word64 right = min((column + 1) * rule.side, rule.width), bottom = min((row + 1) * rule.side, rule.height);
  double sum = 0;
  unsigned count = 0;
  for (Word64 j = row * rule.side; j < bottom; ++j)
    for (Word64 i = column * rule.side; i < right; ++i) {
      const double value = static_cast<double>(widen(x[i * rule.across + j * rule.down + channel * rule.deep]));
      if (value != value) continue;
      sum += value;
      ++count;
    }
  out[at] = count == 0 ? __int_as_float(0x7fffffff) : static_cast<float>(sum / count);
}

struct Extremes {
  double low, high;
  Word64 low_at, high_at;  // the first of equal ones; ~0 when there is none
};

__device__ __forceinline__ void widen_extremes(Extremes& into, const Extremes& other) {
  if (other.low_at != ~0ull &&
      (into.low_at == ~0ull || other.low < into.low || (other.low == into.low && other.low_at < into.low_at))) {
    into.low = other.low;
    into.low_at = other.low_at;
  }
  if (other.high_at != ~0ull &&
      (into.high_at == ~0ull || other.high > into.high || (other.high == into.high && other.high_at < into.high_at))) {
    into.high = other.high;
    into.high_at = other.high_at;
  }
}

// One block for each column, which are elements [n * column / columns, n * (column + 1) / columns). out has the index
// of the least and of the greatest finite element of each, of those over 0 where over_zero is 1.
template <class T>
__global__ void __launch_bounds__(kPictureBlock) column_extremes(const T* x, Word64 n, Word64 over_zero, Word64* out) {
  __shared__ Extremes found[kPictureBlock];
  const Word64 columns = gridDim.x, each = n / columns, more = n % columns;
  const Word64 first = each * blockIdx.x + more * blockIdx.x / columns;
  const Word64 last = each * (blockIdx.x + 1ull) + more * (blockIdx.x + 1ull) / columns;
  Extremes own = {0, 0, ~0ull, ~0ull};
  for (Word64 i = first + threadIdx.x; i < last; i += kPictureBlock) {
    const double value = static_cast<double>(widen(x[i]));
    if (value - value == 0.0 && (over_zero == 0 || value > 0.0)) widen_extremes(own, {value, value, i, i});
  }
  found[threadIdx.x] = own;
  __syncthreads();
  for (int half = kPictureBlock / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) widen_extremes(found[threadIdx.x], found[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  out[2 * blockIdx.x] = found[0].low_at;
  out[2 * blockIdx.x + 1] = found[0].high_at;
}

// One block for each part of the array, of elements as above: the sum and the number of the finite ones.
template <class T> __global__ void __launch_bounds__(kPictureBlock) strip_parts(const T* x, Word64 n, StripPart* out) {
  __shared__ StripPart found[kPictureBlock];
  const Word64 parts = gridDim.x, each = n / parts, more = n % parts;
  const Word64 first = each * blockIdx.x + more * blockIdx.x / parts;
  const Word64 last = each * (blockIdx.x + 1ull) + more * (blockIdx.x + 1ull) / parts;
  StripPart own = {0, 0};
  for (Word64 i = first + threadIdx.x; i < last; i += kPictureBlock) {
    const double value = static_cast<double>(widen(x[i]));
    if (value - value != 0.0) continue;
    own.sum += value;
    ++own.count;
  }
  found[threadIdx.x] = own;
  __syncthreads();
  for (int half = kPictureBlock / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) {
      found[threadIdx.x].sum += found[threadIdx.x + half].sum;
      found[threadIdx.x].count += found[threadIdx.x + half].count;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = found[0];
}

template <class T>
__global__ void __launch_bounds__(kPictureBlock)
    gather_elements(const T* x, const Word64* indices, Word64 n, double* out) {
  const Word64 at = picture_thread();
  if (at < n) out[at] = static_cast<double>(widen(x[indices[at]]));
}

// The bin of a value, or ~0 when it is in none.
__device__ __forceinline__ Word64 bin_of(double value, const BinRule& rule) {
  if (!(value >= rule.low && value <= rule.high)) return ~0ull;
  const double place = rule.logarithmic != 0 ? log(value / rule.low) / log(rule.high / rule.low)
                                             : (value * 0.5 - rule.low * 0.5) / (rule.high * 0.5 - rule.low * 0.5);
  return min(static_cast<Word64>(place * static_cast<double>(rule.bins)), rule.bins - 1);
}

// Counts of a block are in its dynamic shared memory, of rule.bins 32-bit words. counts begins as zeros.
template <class T>
__global__ void __launch_bounds__(kPictureBlock) count_bins(const T* x, Word64 n, BinRule rule, Word64* counts) {
  extern __shared__ unsigned block_counts[];
  for (Word64 bin = threadIdx.x; bin < rule.bins; bin += kPictureBlock) block_counts[bin] = 0;
  __syncthreads();
  for (Word64 i = picture_thread(); i < n; i += static_cast<Word64>(gridDim.x) * kPictureBlock) {
    const Word64 bin = bin_of(static_cast<double>(widen(x[i])), rule);
    if (bin != ~0ull) atomicAdd(&block_counts[bin], 1u);
  }
  __syncthreads();
  for (Word64 bin = threadIdx.x; bin < rule.bins; bin += kPictureBlock)
    if (block_counts[bin] != 0) atomicAdd(&counts[bin], static_cast<Word64>(block_counts[bin]));
}

// Points in the cells of a plane, rows of cells from the bottom, in so many planes that blocks share in turn. counts
// begins as zeros.
template <class X, class Y>
__global__ void __launch_bounds__(kPictureBlock)
    count_cells(const X* x, const Y* y, Word64 n, BinRule across, BinRule up, Word64 planes, Word64* counts) {
  counts += blockIdx.x % planes * across.bins * up.bins;
  for (Word64 i = picture_thread(); i < n; i += static_cast<Word64>(gridDim.x) * kPictureBlock) {
    const Word64 column = bin_of(static_cast<double>(widen(x[i])), across),
                 row = bin_of(static_cast<double>(widen(y[i])), up);
    if (column != ~0ull && row != ~0ull) atomicAdd(&counts[row * across.bins + column], static_cast<Word64>(1));
  }
}

#endif

}  // namespace xcuda
