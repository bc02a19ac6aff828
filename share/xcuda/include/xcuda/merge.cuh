// Two sorted runs of an array become one, in tiles. A tile is a range of the result; how many of its elements come from
// each run is found by a binary search along its diagonal (the "merge path"), so that it reads both runs in order and
// writes in order. Of equal keys those of the first run come first, as a stable sort of the whole has it.
#pragma once

#include "merge_shape.cuh"
#include "sort.cuh"

namespace xcuda {

#ifdef __CUDA_ARCH__

// How many of the first k elements of the result come from the first run.
template <class Word, class First, class Second>
__device__ __forceinline__ Word from_first(Word k, Word n, Word m, const First& first, const Second& second) {
  Word low = k > m ? k - m : 0, high = k < n ? k : n;
  while (low < high) {
    const Word middle = low + (high - low) / 2;
    if (first(middle) <= second(k - 1 - middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// first and second: where the runs are. starts[t]: how many elements before tile t come from the first run; one more
// than there are tiles.
template <class T>
__global__ void __launch_bounds__(kMergeBlock)
    merge_starts(Word64* starts, const T* first, const T* second, MergeRange range, Word64 tiles) {
  const Word64 t = static_cast<Word64>(blockIdx.x) * kMergeBlock + threadIdx.x;
  if (t > tiles) return;
  const Word64 at = range.first + t * kMergeTile, k = (at < range.last ? at : range.last) - range.begin;
  starts[t] = from_first<Word64>(
      k, range.middle - range.begin, range.end - range.middle, [&](Word64 i) { return key_of(first[i]); },
      [&](Word64 i) { return key_of(second[i]); });
}

template <class T>
__global__ void __launch_bounds__(kMergeBlock)
    merge_tiles(T* result, const T* first, const T* second, const Word64* starts, MergeRange range) {
  __shared__ T tile[kMergeTile];
  const Word64 begin = range.first + static_cast<Word64>(blockIdx.x) * kMergeTile;
  const unsigned count = static_cast<unsigned>(begin + kMergeTile < range.last ? kMergeTile : range.last - begin);
  const Word64 i = starts[blockIdx.x], j = begin - range.begin - i;
  const unsigned n = static_cast<unsigned>(starts[blockIdx.x + 1] - i), m = count - n;
  first += i;
  second += j;
  for (unsigned k = threadIdx.x; k < count; k += kMergeBlock) tile[k] = k < n ? first[k] : second[k - n];
  __syncthreads();
  const unsigned from = threadIdx.x * kMergeItems < count ? threadIdx.x * kMergeItems : count;
  const unsigned to = from + kMergeItems < count ? from + kMergeItems : count;
  unsigned a = from_first<unsigned>(
      from, n, m, [&](unsigned k) { return key_of(tile[k]); }, [&](unsigned k) { return key_of(tile[n + k]); });
  unsigned b = from - a;
  T own[kMergeItems];
  XCUDA_UNROLL
  for (unsigned k = 0; k < kMergeItems; ++k) {
    if (from + k >= to) break;
    const bool takes_first = b >= m || (a < n && key_of(tile[a]) <= key_of(tile[n + b]));
    own[k] = takes_first ? tile[a] : tile[n + b];
    a += takes_first;
    b += !takes_first;
  }
  __syncthreads();
  XCUDA_UNROLL
  for (unsigned k = 0; k < kMergeItems; ++k)
    if (from + k < to) tile[from + k] = own[k];
  __syncthreads();
  for (unsigned k = threadIdx.x; k < count; k += kMergeBlock) result[begin + k] = tile[k];
}

#endif

}  // namespace xcuda
