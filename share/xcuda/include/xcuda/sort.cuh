// A stable radix sort of numbers, 8 bits a pass. One launch counts the digits of all passes; in a pass each block ranks
// the keys of one tile, learns from the tiles before it where its digits begin, and writes its keys there in order.
// Elements stay as they are: their order is that of unsigned numbers made from them (key_of); NaN is the last.
#pragma once

#include "element.cuh"
#include "sort_shape.cuh"
#include "unroll.cuh"

namespace xcuda {

#ifdef __CUDA_ARCH__

constexpr unsigned kSortWarps = kSortBlock / 32, kSortAhead = 4;

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
template <class T> __device__ __forceinline__ unsigned digit_of(const T& value, int shift) {
  return static_cast<unsigned>(key_of(value) >> shift) & (kSortDigits - 1);
}

// bins[pass][digit], zero before: how many keys have the digit. Word: unsigned, or unsigned long long for 2^30 keys and
// more.
template <class T, class Word>
__global__ void __launch_bounds__(kSortBlock) sort_histogram(Word* bins, const T* x, Word64 n) {
  constexpr int kPasses = sizeof(T);
  __shared__ unsigned counts[kPasses][kSortDigits];
  for (int pass = 0; pass < kPasses; ++pass) counts[pass][threadIdx.x] = 0;
  __syncthreads();
  for (Word64 tile = blockIdx.x; tile * kSortTile < n; tile += gridDim.x) {
    const Word64 base = tile * kSortTile + threadIdx.x;
    XCUDA_UNROLL
    for (unsigned k = 0; k < kSortItems; ++k) {
      const Word64 i = base + k * kSortBlock;
      if (i >= n) break;
      const auto key = key_of(x[i]);
      XCUDA_UNROLL
      for (int pass = 0; pass < kPasses; ++pass)
        atomicAdd(&counts[pass][static_cast<unsigned>(key >> 8 * pass) & (kSortDigits - 1)], 1u);
    }
  }
  __syncthreads();
  for (int pass = 0; pass < kPasses; ++pass)
    if (const unsigned count = counts[pass][threadIdx.x]; count != 0)
      atomicAdd(bins + pass * kSortDigits + threadIdx.x, static_cast<Word>(count));
}

// What the threads before this one hold, added up, of a block of kSortBlock.
template <class Word> __device__ __forceinline__ Word sum_before(Word own) {
  __shared__ Word of_warp[kSortWarps];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Word sum = own;
  XCUDA_UNROLL
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const Word other = __shfl_up_sync(0xffffffffu, sum, distance);
    if (lane >= distance) sum += other;
  }
  if (lane == 31) of_warp[warp] = sum;
  __syncthreads();
  for (unsigned w = 0; w < warp; ++w) sum += of_warp[w];
  __syncthreads();
  return sum - own;
}

// The lanes of the warp that have the same digit; all lanes take part.
__device__ __forceinline__ unsigned lanes_like(unsigned digit) {
  unsigned same = 0xffffffffu;
  XCUDA_UNROLL
  for (int bit = 0; bit < 8; ++bit) {
    const bool set = (digit >> bit & 1u) != 0;
    const unsigned ballot = __ballot_sync(0xffffffffu, set);
    same &= set ? ballot : ~ballot;
  }
  return same;
}

struct NoOrder {};
template <class Order> struct HasOrder { static constexpr bool value = true; };
template <> struct HasOrder<NoOrder> { static constexpr bool value = false; };

// What a tile tells of a digit in status[tile][digit]: nothing, its own count, or the count of all tiles up to it.
template <class Word> struct Status {
  static constexpr Word kOwn = Word(1) << (8 * sizeof(Word) - 2), kWhole = kOwn << 1, kCount = kOwn - 1;
};
// Tells what this tile holds, and then adds up what the tiles before it told.
template <class Word> __device__ __forceinline__ void tell_keys(volatile Word* column, Word64 tile, Word own) {
  column[tile * kSortDigits] = own | (tile == 0 ? Status<Word>::kWhole : Status<Word>::kOwn);
}
template <class Word> __device__ __forceinline__ Word keys_before(volatile Word* column, Word64 tile, Word own) {
  if (tile == 0) return 0;
  Word before = 0;
  for (Word64 t = tile; t-- > 0;) {
    Word told = column[t * kSortDigits];
    while (told == 0) told = column[t * kSortDigits];
    before += told & Status<Word>::kCount;
    if ((told & Status<Word>::kWhole) != 0) break;
  }
  column[tile * kSortDigits] = (before + own) | Status<Word>::kWhole;
  return before;
}

// One pass. bins: of this pass. status and ticket: zero before. order: null in the first pass, where it is 0, 1, 2 ...
// Tiles are numbered in the order in which blocks begin, so that the tiles before one are on their way or done.
template <class T, class Order, class Word>
__global__ void __launch_bounds__(kSortBlock, sizeof(T) > 4 || HasOrder<Order>::value ? 3 : 4)
    sort_pass(T* out, Order* order_out, const T* x, const Order* order, const Word* bins, Word* status,
              unsigned* ticket, Word64 n, int shift) {
  constexpr unsigned kLargest = HasOrder<Order>::value && sizeof(Order) > sizeof(T) ? sizeof(Order) : sizeof(T);
  __shared__ unsigned
      counts[kSortWarps][kSortDigits];  // of each warp's keys; then where its keys of a digit begin in the sorted tile
  __shared__ Word places[kSortDigits];  // from a place in the sorted tile to one in the output
  __shared__ alignas(16) unsigned char memory[kSortTile * kLargest];
  __shared__ unsigned number;
  const unsigned thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  if (thread == 0) number = atomicAdd(ticket, 1u);
  for (unsigned w = 0; w < kSortWarps; ++w) counts[w][thread] = 0;
  __syncthreads();
  const Word64 tile = number, base = tile * kSortTile;
  const unsigned held = n - base < kSortTile ? static_cast<unsigned>(n - base) : kSortTile;
  const unsigned first = warp * (kSortItems * 32) + lane;

  T item[kSortItems];
  XCUDA_UNROLL
  for (unsigned k = 0; k < kSortItems; ++k)
    if (first + k * 32 < held) item[k] = x[base + first + k * 32];
  // What is not there comes last.
  const auto digit_at = [&](unsigned k) { return first + k * 32 < held ? digit_of(item[k], shift) : kSortDigits - 1; };
  // A key's rank among the warp's of its digit: the first lane of those that have the same takes their places for all.
  unsigned rank[kSortItems];
  XCUDA_UNROLL
  for (unsigned k = 0; k < kSortItems; k += kSortAhead) {
    unsigned same[kSortAhead], earlier[kSortAhead];
    XCUDA_UNROLL
    for (unsigned a = 0; a < kSortAhead; ++a) same[a] = lanes_like(digit_at(k + a));
    XCUDA_UNROLL
    for (unsigned a = 0; a < kSortAhead; ++a) {
      if ((same[a] & ((1u << lane) - 1)) == 0)
        earlier[a] = atomicAdd(&counts[warp][digit_at(k + a)], static_cast<unsigned>(__popc(same[a])));
      __syncwarp();
    }
    XCUDA_UNROLL
    for (unsigned a = 0; a < kSortAhead; ++a)
      rank[k + a] = __shfl_sync(0xffffffffu, earlier[a], __ffs(same[a]) - 1) + __popc(same[a] & ((1u << lane) - 1));
  }
  __syncthreads();

  // A thread for each digit.
  unsigned own = 0;
  XCUDA_UNROLL
  for (unsigned w = 0; w < kSortWarps; ++w) {
    const unsigned count = counts[w][thread];
    counts[w][thread] = own;
    own += count;
  }
  const Word keys = own - (thread == kSortDigits - 1 ? kSortTile - held : 0);
  tell_keys<Word>(status + thread, tile, keys);
  const unsigned start = sum_before(own);
  XCUDA_UNROLL
  for (unsigned w = 0; w < kSortWarps; ++w) counts[w][thread] += start;
  const Word begin = sum_before(bins[thread]) - start;
  places[thread] = begin + keys_before<Word>(status + thread, tile, keys);
  __syncthreads();

  T* const sorted = reinterpret_cast<T*>(memory);
  XCUDA_UNROLL
  for (unsigned k = 0; k < kSortItems; ++k)
    if (first + k * 32 < held) {
      rank[k] += counts[warp][digit_of(item[k], shift)];
      sorted[rank[k]] = item[k];
    }
  __syncthreads();
  Word to[kSortItems];
  XCUDA_UNROLL
  for (unsigned k = 0; k < kSortItems; ++k) {
    const unsigned at = k * kSortBlock + thread;
    if (at < held) {
      const T one = sorted[at];
      to[k] = places[digit_of(one, shift)] + at;
      out[to[k]] = one;
    }
  }
  if constexpr (HasOrder<Order>::value) {
    __syncthreads();
    Order* const ordered = reinterpret_cast<Order*>(memory);
    XCUDA_UNROLL
    for (unsigned k = 0; k < kSortItems; ++k)
      if (first + k * 32 < held)
        ordered[rank[k]] = order != nullptr ? order[base + first + k * 32] : static_cast<Order>(base + first + k * 32);
    __syncthreads();
    XCUDA_UNROLL
    for (unsigned k = 0; k < kSortItems; ++k)
      if (k * kSortBlock + thread < held) order_out[to[k]] = ordered[k * kSortBlock + thread];
  }
}

// out[counts[i] - 1] = i where counts rises.
template <class T> __global__ void take_places(T* out, const T* counts, Word64 n) {
  const Word64 i = static_cast<Word64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n && counts[i] != (i > 0 ? counts[i - 1] : 0)) out[counts[i] - 1] = static_cast<T>(i);
}

// out[first[i] - 1] = sorted[i] where a kind begins; first counts the kinds up to i.
template <class T> __global__ void take_first(T* out, const T* sorted, const unsigned long* first, Word64 n) {
  const Word64 i = static_cast<Word64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n && (i == 0 || first[i] != first[i - 1])) out[first[i] - 1] = sorted[i];
}

#endif

}  // namespace xcuda
