// Sorted parts of an array become one: each block finds the places of a tile of one part, which is its elements' own
// index and how many elements of each other part come before them. Of equal keys those of an earlier part come first,
// as a stable sort of the whole has it.
#pragma once

#include "merge_parts.cuh"
#include "sort.cuh"

namespace xcuda {

#ifdef __CUDA_ARCH__

// How many of the sorted keys at x[first, last) come before the key; with `equal` those that are equal, too.
template <class Key, class At>
__device__ __forceinline__ Word64 keys_before(Key key, bool equal, Word64 first, Word64 last, const At& at) {
  while (first < last) {
    const Word64 middle = first + (last - first) / 2;
    const Key other = at(middle);
    if (other < key || (equal && other == key))
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

template <class T>
__global__ void __launch_bounds__(kSortBlock) merge_part(T* result, SortedParts parts, unsigned own) {
  using Key = typename KeyOf<sizeof(T)>::type;
  constexpr unsigned kTile = kMergeItems * kSortBlock;
  __shared__ Key near[kTile];
  __shared__ Word64 bounds[2];
  const T* x = reinterpret_cast<const T*>(parts.at[own]);
  const Word64 base = static_cast<Word64>(blockIdx.x) * kTile, n = parts.count[own];
  const Word64 end = base + kTile < n ? base + kTile : n;
  Word64 place[kMergeItems];
  XCUDA_UNROLL
  for (unsigned k = 0; k < kMergeItems; ++k) place[k] = base + k * kSortBlock + threadIdx.x;
  for (unsigned p = 0; p < parts.parts; ++p) {
    if (p == own) continue;
    const T* other = reinterpret_cast<const T*>(parts.at[p]);
    const bool earlier = p < own;
    if (threadIdx.x < 2)
      bounds[threadIdx.x] = keys_before(key_of(x[threadIdx.x == 0 ? base : end - 1]), earlier, 0, parts.count[p],
                                        [&](Word64 i) { return key_of(other[i]); });
    __syncthreads();
    const Word64 first = bounds[0], last = bounds[1];
    const bool fits = last - first <= kTile;
    if (fits)
      for (Word64 i = threadIdx.x; i < last - first; i += kSortBlock) near[i] = key_of(other[first + i]);
    __syncthreads();
    XCUDA_UNROLL
    for (unsigned k = 0; k < kMergeItems; ++k) {
      const Word64 i = base + k * kSortBlock + threadIdx.x;
      if (i >= end) break;
      const Key key = key_of(x[i]);
      place[k] += fits ? first + keys_before(key, earlier, 0, last - first, [&](Word64 at) { return near[at]; })
                       : keys_before(key, earlier, first, last, [&](Word64 at) { return key_of(other[at]); });
    }
    __syncthreads();
  }
  XCUDA_UNROLL
  for (unsigned k = 0; k < kMergeItems; ++k) {
    const Word64 i = base + k * kSortBlock + threadIdx.x;
    if (i < end) result[place[k]] = x[i];
  }
}

#endif

}  // namespace xcuda
