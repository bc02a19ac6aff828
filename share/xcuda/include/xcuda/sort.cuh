// A stable radix sort of numbers, 8 bits a pass. One launch counts the digits of all passes; in a pass each block ranks
// the keys of one tile, learns from the tiles before it where its digits begin, and writes its keys there in order.
// Elements stay as they are: their order is that of unsigned numbers made from them (key_of); NaN is the last.
#pragma once

#include "element.cuh"
#include "sort_shape.cuh"
#include "unroll.cuh"

namespace xcuda {

#ifdef __CUDA_ARCH__

constexpr unsigned kSortWarps = kSortBlock / 32;
// On a GPU a tile counts its keys first, so that it can tell others of them early; a CPU counts them as it ranks them.
#ifdef XCUDA_CPU_DEVICE
constexpr bool kOnGpu = false;
#else
constexpr bool kOnGpu = true;
#endif

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
    return static_cast<Key>(bits > top ? ~bits : bits | top);  // the bits of -0.0 are `top`: it equals 0.0
  } else if constexpr (IsSigned<T>::value) {
    return static_cast<Key>(bits ^ top);
  } else {
    return bits;
  }
}
template <class Key> __device__ __forceinline__ unsigned digit_of(Key key, int shift) {
  return static_cast<unsigned>(key >> shift) & (kSortDigits - 1);
}

// bins[pass][digit], zero before: how many keys have the digit. Word: unsigned, or unsigned long long for 2^30 keys and
// more.
template <class T, class Word>
__global__ void __launch_bounds__(kSortBlock) sort_histogram(Word* bins, const T* x, Word64 n) {
  constexpr int kPasses = sizeof(T);
  constexpr unsigned kItems = kSortShapes[(sizeof(T) - 1) / 4].items, kTile = kItems * kSortBlock;
  __shared__ unsigned counts[kPasses][kSortDigits];
  if (threadIdx.x < kSortDigits)
    for (int pass = 0; pass < kPasses; ++pass) counts[pass][threadIdx.x] = 0;
  __syncthreads();
  for (Word64 tile = blockIdx.x; tile * kTile < n; tile += gridDim.x) {
    const Word64 base = tile * kTile + threadIdx.x;
    XCUDA_UNROLL
    for (unsigned k = 0; k < kItems; ++k) {
      const Word64 i = base + k * kSortBlock;
      if (i >= n) break;
      const auto key = key_of(x[i]);
      XCUDA_UNROLL
      for (int pass = 0; pass < kPasses; ++pass) atomicAdd(&counts[pass][digit_of(key, 8 * pass)], 1u);
    }
  }
  __syncthreads();
  if (threadIdx.x >= kSortDigits) return;
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

// The lanes of the warp that have the same digit; all lanes take part. masks: the warp's, zero before and after. On a
// GPU an atomic for each lane takes less time than eight votes, in the vectors of a CPU more.
__device__ __forceinline__ unsigned lanes_like(unsigned* masks, unsigned digit) {
  unsigned same = 0xffffffffu;
  if (kOnGpu) {
    atomicOr(masks + digit, 1u << threadIdx.x % 32);
    __syncwarp();
    same = masks[digit];
    __syncwarp();
    return same;
  }
  XCUDA_UNROLL
  for (int bit = 0; bit < 8; ++bit) {
    const bool set = (digit >> bit & 1u) != 0;
    const unsigned ballot = __ballot_sync(0xffffffffu, set);
    same &= set ? ballot : ~ballot;
  }
  return same;
}

// Takes the digits of a warp's keys and gives the keys' places: counts of the digit, raised by the keys before it. The
// last lane of those that have the same digit takes their places for all, and clears the digit's mask.
template <unsigned kItems>
__device__ __forceinline__ void rank_keys(unsigned (&rank)[kItems], unsigned* counts, unsigned* masks) {
  const unsigned lane = threadIdx.x % 32;
  XCUDA_UNROLL
  for (unsigned k = 0; k < kItems; ++k) {
    const unsigned same = lanes_like(masks, rank[k]), last = 31 - __clz(same);
    unsigned earlier = 0;
    if (lane == last) earlier = atomicAdd(counts + rank[k], static_cast<unsigned>(__popc(same)));
    if (kOnGpu) {
      if (lane == last) masks[rank[k]] = 0;
      __syncwarp();
    }
    rank[k] = __shfl_sync(0xffffffffu, earlier, last) + __popc(same & ((1u << lane) - 1));
  }
}

struct NoOrder {};
template <class Order> struct HasOrder { static constexpr bool value = true; };
template <> struct HasOrder<NoOrder> { static constexpr bool value = false; };
template <class T, class Order>
constexpr unsigned kSortLargest = HasOrder<Order>::value && sizeof(Order) > sizeof(T) ? sizeof(Order) : sizeof(T);
template <class T, class Order> constexpr SortShape kSortShape = kSortShapes[(kSortLargest<T, Order> - 1) / 4];

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
  constexpr int kAtOnce = kOnGpu ? 4 : 1;  // loads that are on their way before the first is looked at
  Word before = 0;
  Word64 t = tile;
  for (bool whole = false; !whole;) {
    Word told[kAtOnce];
    XCUDA_UNROLL
    for (int a = 0; a < kAtOnce; ++a)
      told[a] = t > static_cast<Word64>(a) ? column[(t - 1 - a) * kSortDigits] : Word(Status<Word>::kWhole);
    XCUDA_UNROLL
    for (int a = 0; a < kAtOnce; ++a) {
      if (whole || told[a] == 0) break;
      before += told[a] & Status<Word>::kCount;
      whole = (told[a] & Status<Word>::kWhole) != 0;
      --t;
    }
  }
  column[tile * kSortDigits] = (before + own) | Status<Word>::kWhole;
  return before;
}

// One pass. bins: of this pass. status and ticket: zero before. order: null in the first pass, where it is 0, 1, 2 ...
// places_out: null but in the last pass, which writes the order there.
// Tiles are numbered in the order in which blocks begin, so that the tiles before one are on their way or done. A tile
// tells what it holds before it ranks its keys, and asks those before it afterwards, when most have told.
template <class T, class Order, class Word>
__global__ void __launch_bounds__(kSortBlock, kSortShape<T, Order>.blocks)
    sort_pass(T* out, Order* order_out, unsigned long* places_out, const T* x, const Order* order, const Word* bins,
              Word* status, unsigned* ticket, Word64 n, int shift) {
  constexpr unsigned kItems = kSortShape<T, Order>.items, kTile = kItems * kSortBlock;
  constexpr unsigned kMasks = kSortWarps * kSortDigits * sizeof(unsigned), kMemory = kTile * kSortLargest<T, Order>;
  __shared__ unsigned counts[kSortWarps][kSortDigits];  // of each warp's keys; then where its next key of a digit goes
                                                        // in the sorted tile
  __shared__ Word places[kSortDigits];                  // from a place in the sorted tile to one in the output
  __shared__ alignas(16) unsigned char memory[kMemory > kMasks ? kMemory : kMasks];
  __shared__ unsigned number;
  const unsigned thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  if (thread == 0) number = atomicAdd(ticket, 1u);
  unsigned* const masks = reinterpret_cast<unsigned*>(memory) + warp * kSortDigits;
  for (unsigned digit = lane; digit < kSortDigits; digit += 32) {
    counts[warp][digit] = 0;
    if (kOnGpu) masks[digit] = 0;
  }
  __syncthreads();
  const Word64 tile = number, base = tile * kTile;
  const unsigned held = n - base < kTile ? static_cast<unsigned>(n - base) : kTile;
  const unsigned first = warp * (kItems * 32) + lane;
  const auto is_there = [&](unsigned at) { return held == kTile || at < held; };

  T item[kItems];
  XCUDA_UNROLL
  for (unsigned k = 0; k < kItems; ++k)
    if (is_there(first + k * 32)) item[k] = x[base + first + k * 32];
  unsigned rank[kItems];  // the digit first; what is not there comes last
  XCUDA_UNROLL
  for (unsigned k = 0; k < kItems; ++k) {
    rank[k] = is_there(first + k * 32) ? digit_of(key_of(item[k]), shift) : kSortDigits - 1;
    if (kOnGpu) atomicAdd(&counts[warp][rank[k]], 1u);
  }
  if (!kOnGpu) rank_keys(rank, counts[warp], masks);
  __syncthreads();

  // A thread for each digit.
  const bool has_digit = kSortBlock == kSortDigits || thread < kSortDigits;
  unsigned own = 0;
  if (has_digit) {
    XCUDA_UNROLL
    for (unsigned w = 0; w < kSortWarps; ++w) {
      const unsigned count = counts[w][thread];
      counts[w][thread] = own;
      own += count;
    }
  }
  const Word keys = own - (thread == kSortDigits - 1 ? kTile - held : 0);
  if (has_digit) tell_keys<Word>(status + thread, tile, keys);
  const unsigned start = sum_before(own);
  if (has_digit) {
    XCUDA_UNROLL
    for (unsigned w = 0; w < kSortWarps; ++w) counts[w][thread] += start;
  }
  const Word begin = sum_before(has_digit ? bins[thread] : Word(0)) - start;

  if (kOnGpu) {
    rank_keys(rank, counts[warp], masks);
    __syncthreads();
  }
  T* const sorted = reinterpret_cast<T*>(memory);
  XCUDA_UNROLL
  for (unsigned k = 0; k < kItems; ++k)
    if (is_there(first + k * 32)) {
      if (!kOnGpu) rank[k] += counts[warp][digit_of(key_of(item[k]), shift)];
      sorted[rank[k]] = item[k];
    }
  if (has_digit) places[thread] = begin + keys_before<Word>(status + thread, tile, keys);
  __syncthreads();

  Word to[kItems];
  XCUDA_UNROLL
  for (unsigned k = 0; k < kItems; ++k) {
    const unsigned at = k * kSortBlock + thread;
    if (is_there(at)) {
      const T one = sorted[at];
      to[k] = places[digit_of(key_of(one), shift)] + at;
      out[to[k]] = one;
    }
  }
  if constexpr (HasOrder<Order>::value) {
    __syncthreads();
    Order* const ordered = reinterpret_cast<Order*>(memory);
    XCUDA_UNROLL
    for (unsigned k = 0; k < kItems; ++k)
      if (is_there(first + k * 32))
        ordered[rank[k]] = order != nullptr ? order[base + first + k * 32] : static_cast<Order>(base + first + k * 32);
    __syncthreads();
    XCUDA_UNROLL
    for (unsigned k = 0; k < kItems; ++k) {
      const unsigned at = k * kSortBlock + thread;
      if (is_there(at)) {
        if (places_out != nullptr)
          places_out[to[k]] = ordered[at];
        else
          order_out[to[k]] = ordered[at];
      }
    }
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
