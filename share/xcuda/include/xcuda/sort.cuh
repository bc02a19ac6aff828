// A stable radix sort of numbers, 8 bits a pass. A pass is a count of each tile's digits, a scan of the counts, and a
// scatter in which each warp ranks its keys by the lanes that hold the same digit. Keys are the elements as unsigned
// numbers of the same order; NaN is the last.
#pragma once

#include "element.cuh"

namespace xcuda {

#ifdef __CUDA_ARCH__

constexpr int kSortBlock = 256, kSortItems = 16, kSortTile = kSortBlock * kSortItems, kSortWarps = kSortBlock / 32;

template <int Size> struct KeyOf;
template <> struct KeyOf<1> { using type = unsigned char; };
template <> struct KeyOf<2> { using type = unsigned short; };
template <> struct KeyOf<4> { using type = unsigned; };
template <> struct KeyOf<8> { using type = unsigned long; };

template <class T> struct IsFloating { static constexpr bool value = false; };
template <> struct IsFloating<float> { static constexpr bool value = true; };
template <> struct IsFloating<double> { static constexpr bool value = true; };
template <> struct IsFloating<HalfBits> { static constexpr bool value = true; };
template <> struct IsFloating<BFloatBits> { static constexpr bool value = true; };
template <class T> struct IsSigned { static constexpr bool value = static_cast<T>(-1) < static_cast<T>(0); };
template <> struct IsSigned<HalfBits> { static constexpr bool value = false; };
template <> struct IsSigned<BFloatBits> { static constexpr bool value = false; };

template <class T> __device__ __forceinline__ typename KeyOf<sizeof(T)>::type key_of(const T& value) {
  using Key = typename KeyOf<sizeof(T)>::type;
  const Key bits = *reinterpret_cast<const Key*>(&value);
  constexpr Key top = static_cast<Key>(Key(1) << (8 * sizeof(T) - 1));
  if constexpr (IsFloating<T>::value) {
    const auto real = widen(value);
    if (real != real) return static_cast<Key>(~Key(0));
    return static_cast<Key>((bits & top) != 0 ? ~bits : bits | top);
  } else if constexpr (IsSigned<T>::value) {
    return static_cast<Key>(bits ^ top);
  } else {
    return bits;
  }
}
template <class T> __device__ __forceinline__ T element_of(typename KeyOf<sizeof(T)>::type key) {
  using Key = typename KeyOf<sizeof(T)>::type;
  constexpr Key top = static_cast<Key>(Key(1) << (8 * sizeof(T) - 1));
  Key bits = key;
  if constexpr (IsFloating<T>::value) bits = static_cast<Key>((key & top) != 0 ? key ^ top : ~key);
  else if constexpr (IsSigned<T>::value) bits = static_cast<Key>(key ^ top);
  return *reinterpret_cast<const T*>(&bits);
}

template <class T>
__global__ void sort_begin(typename KeyOf<sizeof(T)>::type* keys, const T* x, Word64 n) {
  const Word64 i = static_cast<Word64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) keys[i] = key_of(x[i]);
}
template <class T>
__global__ void sort_end(T* x, const typename KeyOf<sizeof(T)>::type* keys, Word64 n) {
  const Word64 i = static_cast<Word64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) x[i] = element_of<T>(keys[i]);
}
template <class Order>
__global__ void sort_indices(Order* order, Word64 n) {
  const Word64 i = static_cast<Word64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) order[i] = i;
}

// counts[digit][tile]
template <class Key>
__global__ void __launch_bounds__(kSortBlock) sort_count(unsigned* counts, const Key* keys, Word64 n, int shift) {
  __shared__ unsigned digits[256];
  digits[threadIdx.x] = 0;
  __syncthreads();
  const Word64 base = static_cast<Word64>(blockIdx.x) * kSortTile;
  for (int k = 0; k < kSortItems; ++k) {
    const Word64 i = base + k * kSortBlock + threadIdx.x;
    if (i < n) atomicAdd(&digits[keys[i] >> shift & 255], 1u);
  }
  __syncthreads();
  counts[static_cast<Word64>(threadIdx.x) * gridDim.x + blockIdx.x] = digits[threadIdx.x];
}

struct NoOrder {};
template <class Order> struct HasOrder { static constexpr bool value = true; };
template <> struct HasOrder<NoOrder> { static constexpr bool value = false; };

// places[digit][tile]: how many keys stand in front of the tile's first key of this digit.
template <class Key, class Order>
__global__ void __launch_bounds__(kSortBlock)
sort_scatter(Key* keys_out, Order* order_out, const Key* keys, const Order* order, const unsigned* places, Word64 n, int shift) {
  __shared__ unsigned counts[kSortWarps][256];  // of each warp's keys
  __shared__ unsigned starts[256];              // of each digit in the sorted tile
  __shared__ Key sorted[kSortTile];
  __shared__ unsigned sums[256];
  const unsigned thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const Word64 base = static_cast<Word64>(blockIdx.x) * kSortTile;
  const unsigned held = n - base < kSortTile ? static_cast<unsigned>(n - base) : kSortTile;
  for (int w = 0; w < kSortWarps; ++w) counts[w][thread] = 0;
  __syncthreads();

  Key key[kSortItems];
  unsigned rank[kSortItems];
#pragma unroll
  for (int k = 0; k < kSortItems; ++k) {
    const unsigned at = warp * (kSortItems * 32) + k * 32 + lane;
    const bool here = at < held;
    key[k] = here ? keys[base + at] : Key(0);
    // A lane without a key is like no other.
    const unsigned digit = here ? static_cast<unsigned>(key[k] >> shift & 255) : 256 + lane;
    const unsigned same = __match_any_sync(0xffffffffu, digit);
    const unsigned before = __popc(same & ((1u << lane) - 1));
    const unsigned earlier = here ? counts[warp][digit] : 0;
    __syncwarp();
    if (here && before == 0) counts[warp][digit] = earlier + __popc(same);
    __syncwarp();
    rank[k] = earlier + before;
  }
  __syncthreads();

  // Warps in order, then digits in order.
  unsigned total = 0;
  for (int w = 0; w < kSortWarps; ++w) {
    const unsigned own = counts[w][thread];
    counts[w][thread] = total;
    total += own;
  }
  sums[thread] = total;
  __syncthreads();
  for (unsigned distance = 1; distance < 256; distance *= 2) {
    const unsigned add = thread >= distance ? sums[thread - distance] : 0;
    __syncthreads();
    sums[thread] += add;
    __syncthreads();
  }
  starts[thread] = sums[thread] - total;
  __syncthreads();

#pragma unroll
  for (int k = 0; k < kSortItems; ++k) {
    const unsigned at = warp * (kSortItems * 32) + k * 32 + lane;
    if (at < held) {
      const unsigned digit = static_cast<unsigned>(key[k] >> shift & 255);
      const unsigned local = starts[digit] + counts[warp][digit] + rank[k];
      sorted[local] = key[k];
      if constexpr (HasOrder<Order>::value) {
        // The order goes straight to its place: it is read once more for sorting by key alone would not pay.
        order_out[places[static_cast<Word64>(digit) * gridDim.x + blockIdx.x] + local - starts[digit]] = order[base + at];
      }
    }
  }
  __syncthreads();
  for (unsigned at = thread; at < held; at += kSortBlock) {
    const Key one = sorted[at];
    const unsigned digit = static_cast<unsigned>(one >> shift & 255);
    keys_out[places[static_cast<Word64>(digit) * gridDim.x + blockIdx.x] + at - starts[digit]] = one;
  }
}

// out[first[i] - 1] = sorted[i] where a kind begins; first counts the kinds up to i.
template <class T>
__global__ void take_first(T* out, const T* sorted, const unsigned long* first, Word64 n) {
  const Word64 i = static_cast<Word64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n && (i == 0 || first[i] != first[i - 1])) out[first[i] - 1] = sorted[i];
}

#endif

}  // namespace xcuda
