// Running combinations of elements in three launches: every block's total, the totals' prefixes, and the elements
// again. What is put together with what depends on the length alone, so that a result is the same from run to run; an
// associative function is enough. Included after xcuda/elementwise.cuh.
#pragma once

#include "reduce.cuh"
#include "unroll.cuh"

namespace xcuda {

// A tile: each warp of a block takes kScanRows rows, one after the other; a lane takes kScanItems neighbours of each.
// Rows let a GPU load and store packs side by side; the vectors of a CPU take most of their time to move values between
// lanes.
#ifdef XCUDA_CPU_DEVICE
constexpr int kScanRows = 1, kScanItems = 16;
#else
constexpr int kScanRows = 4, kScanItems = 4;
#endif
constexpr int kScanBlock = 256, kScanWarps = kScanBlock / 32;
constexpr Count kScanRow = 32 * kScanItems, kScanTile = kScanWarps * kScanRows * kScanRow;

template <class State> struct Slot {
  State value;
  bool any;
};

template <class Function, class State>
__device__ __forceinline__ Slot<State> join(const Slot<State>& a, const Slot<State>& b) {
  if (!a.any) return b;
  if (!b.any) return a;
  return {static_cast<State>(Function()(a.value, b.value)), true};
}

// In a whole tile each slot has a value, which the compiler then knows. Only the last tile may be a part; on the CPU
// device all tiles are taken as such, so that there is half as much code to compile.
enum class Tile { whole, part };
template <Tile tile> struct TileKind { static constexpr Tile value = tile; };
template <class Body> __device__ __forceinline__ void each_tile(Count begin, Count end, const Body& body) {
#ifndef XCUDA_CPU_DEVICE
  for (; begin + kScanTile <= end; begin += kScanTile) body(TileKind<Tile::whole>(), begin);
#endif
  for (; begin < end; begin += kScanTile) body(TileKind<Tile::part>(), begin);
}

// What another lane has: the one `distance` below, or `lane`.
template <class Move, class State> __device__ __forceinline__ State moved(const State& value, const Move& move) {
  constexpr int kWords = (sizeof(State) + 3) / 4;
  alignas(16) unsigned words[kWords] = {};
  memcpy(words, &value, sizeof value);
  XCUDA_UNROLL
  for (int i = 0; i < kWords; ++i) words[i] = move(words[i]);
  alignas(State) unsigned char bytes[sizeof(State)];
  memcpy(bytes, words, sizeof bytes);
  return *reinterpret_cast<State*>(bytes);
}
template <Tile tile, class Move, class State>
__device__ __forceinline__ Slot<State> moved(const Slot<State>& slot, const Move& move) {
  return {moved(slot.value, move), tile == Tile::whole || move(static_cast<unsigned>(slot.any)) != 0};
}
template <Tile tile, class State>
__device__ __forceinline__ Slot<State> below(const Slot<State>& slot, unsigned distance) {
  return moved<tile>(slot, [=](unsigned word) { return __shfl_up_sync(0xffffffffu, word, distance); });
}
template <Tile tile, class State> __device__ __forceinline__ Slot<State> of_last_lane(const Slot<State>& slot) {
  return moved<tile>(slot, [](unsigned word) { return __shfl_sync(0xffffffffu, word, 31); });
}

// before[r]: what the tile's elements before own[r] are, put together; total: all of them.
template <class Function, Tile tile, class State>
__device__ __forceinline__ void scan_tile(const Slot<State> (&own)[kScanRows], Slot<State> (&before)[kScanRows],
                                          Slot<State>& total) {
  __shared__ alignas(16) unsigned char ends[sizeof(Slot<State>) * kScanWarps];
  Slot<State>* const of_warp = reinterpret_cast<Slot<State>*>(ends);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Slot<State> sum{};
  XCUDA_UNROLL
  for (int r = 0; r < kScanRows; ++r) {
    auto upto = own[r];
    XCUDA_UNROLL
    for (unsigned distance = 1; distance < 32; distance *= 2) {
      const auto lower = below<tile>(upto, distance);
      if (lane >= distance) upto = join<Function>(lower, upto);
    }
    const auto lower = below<tile>(upto, 1);
    before[r] = lane > 0 ? join<Function>(sum, lower) : sum;
    sum = join<Function>(sum, of_last_lane<tile>(upto));
  }
  if (lane == 0) of_warp[warp] = sum;
  __syncthreads();
  Slot<State> of_earlier{};
  total = Slot<State>{};
  for (unsigned w = 0; w < kScanWarps; ++w) {
    if (w == warp) of_earlier = total;
    total = join<Function>(total, of_warp[w]);
  }
  __syncthreads();
  XCUDA_UNROLL
  for (int r = 0; r < kScanRows; ++r) before[r] = join<Function>(of_earlier, before[r]);
}

enum class Scan { inclusive, exclusive };

// What a thread takes of the tile that begins at base, of elements that end at end.
struct Place {
  Count first, end;
  __device__ __forceinline__ Place(Count base, Count end)
      : first(base + threadIdx.x / 32 * (kScanRows * kScanRow) + threadIdx.x % 32 * kScanItems), end(end) {}
  __device__ __forceinline__ Count at(int row, int item) const { return first + row * kScanRow + item; }
  template <Tile tile> __device__ __forceinline__ bool has(int row, int item) const {
    return tile == Tile::whole || at(row, item) < end;
  }
};

// take(i, values) reads N elements from i on, one(i) reads one.
template <int N, Tile tile, class Function, class State, class Take, class One>
__device__ __forceinline__ void take_tile(const Place& place, State (&items)[kScanRows][kScanItems],
                                          Slot<State> (&own)[kScanRows], const Take& take, const One& one) {
  XCUDA_UNROLL
  for (int r = 0; r < kScanRows; ++r)
    if constexpr (N > 1 && tile == Tile::whole) {
      XCUDA_UNROLL
      for (int k = 0; k < kScanItems; k += N) take(place.at(r, k), items[r] + k);
    } else {
      XCUDA_UNROLL
      for (int k = 0; k < kScanItems; ++k)
        if (place.has<tile>(r, k)) items[r][k] = one(place.at(r, k));
    }
  XCUDA_UNROLL
  for (int r = 0; r < kScanRows; ++r) {
    own[r] = Slot<State>{};
    XCUDA_UNROLL
    for (int k = 0; k < kScanItems; ++k)
      if (place.has<tile>(r, k)) own[r] = join<Function>(own[r], Slot<State>{items[r][k], true});
  }
}

// The elements [begin, end), put together. If their order does not matter (Function::commutes, which operators of a
// cell's own types need not), each thread puts its own together first.
template <int N, class Function, class State, class Take, class One>
__device__ __forceinline__ Slot<State> scan_total(Count begin, Count end, const Take& take, const One& one) {
  Slot<State> sum{};
#ifndef XCUDA_CPU_DEVICE
  if constexpr (Function::commutes && (is_number<State> || is_complex<State>)) {
    Slot<State> rows[kScanRows] = {}, before[kScanRows];
    each_tile(begin, end, [&](auto kind, Count base) {
      State items[kScanRows][kScanItems];
      Slot<State> own[kScanRows];
      take_tile<N, decltype(kind)::value, Function>(Place(base, end), items, own, take, one);
      XCUDA_UNROLL
      for (int r = 0; r < kScanRows; ++r) rows[0] = join<Function>(rows[0], own[r]);
    });
    scan_tile<Function, Tile::part>(rows, before, sum);
    return sum;
  }
#endif
  each_tile(begin, end, [&](auto kind, Count base) {
    State items[kScanRows][kScanItems];
    Slot<State> own[kScanRows], before[kScanRows], total;
    take_tile<N, decltype(kind)::value, Function>(Place(base, end), items, own, take, one);
    scan_tile<Function, decltype(kind)::value>(own, before, total);
    sum = join<Function>(sum, total);
  });
  return sum;
}

template <int N, Scan kind, class Function, class Result, class State, class Take, class One>
__device__ __forceinline__ void scan_chunk(Result* out, Slot<State> carry, Count begin, Count end, const Take& take,
                                           const One& one) {
  each_tile(begin, end, [&](auto of_tile, Count base) {
    constexpr auto tile = decltype(of_tile)::value;
    const Place place(base, end);
    State items[kScanRows][kScanItems];
    Slot<State> own[kScanRows], before[kScanRows], total;
    take_tile<N, tile, Function>(place, items, own, take, one);
    scan_tile<Function, tile>(own, before, total);
    XCUDA_UNROLL
    for (int r = 0; r < kScanRows; ++r) {
      auto upto = join<Function>(carry, before[r]);
      Pack<Result, N> pack;
      XCUDA_UNROLL
      for (int k = 0; k < kScanItems; ++k) {
        if (!place.has<tile>(r, k)) break;
        const auto next = join<Function>(upto, Slot<State>{items[r][k], true});
        pack.at[k % N] = convert<Result>((kind == Scan::inclusive ? next : upto).value);
        upto = next;
        if (N == 1 || tile == Tile::part)
          out[place.at(r, k)] = pack.at[k % N];
        else if (k % N == N - 1)
          store_pack(out + place.at(r, k + 1 - N), pack);
      }
    }
    carry = join<Function>(carry, total);
  });
}

// The totals of chunks, each replaced by what comes before it. One block.
template <class Function, class State>
__device__ __forceinline__ void scan_totals(Slot<State>* totals, Count n, Slot<State> carry) {
  for (Count base = 0; base < n; base += kScanTile) {
    const Place place(base, n);
    Slot<State> items[kScanRows][kScanItems], own[kScanRows], before[kScanRows], total;
    XCUDA_UNROLL
    for (int r = 0; r < kScanRows; ++r) {
      own[r] = Slot<State>{};
      XCUDA_UNROLL
      for (int k = 0; k < kScanItems; ++k)
        if (place.has<Tile::part>(r, k)) own[r] = join<Function>(own[r], items[r][k] = totals[place.at(r, k)]);
    }
    scan_tile<Function, Tile::part>(own, before, total);
    XCUDA_UNROLL
    for (int r = 0; r < kScanRows; ++r) {
      auto upto = join<Function>(carry, before[r]);
      XCUDA_UNROLL
      for (int k = 0; k < kScanItems; ++k)
        if (place.has<Tile::part>(r, k)) {
          totals[place.at(r, k)] = upto;
          upto = join<Function>(upto, items[r][k]);
        }
    }
    carry = join<Function>(carry, total);
  }
}

// One line of n elements, `step` apart, by one thread.
template <Scan kind, class Function, class Result, class State, class One>
__device__ __forceinline__ void scan_line(Result* out, Count first, Count step, Count n, Slot<State> carry,
                                          const One& one) {
  for (Count i = first; n > 0; --n, i += step) {
    const auto upto = join<Function>(carry, Slot<State>{one(i), true});
    out[i] = convert<Result>((kind == Scan::inclusive ? upto : carry).value);
    carry = upto;
  }
}

// What linspace(low, high, bins + 1) holds at `bin`, in the precision of the elements: an element that equals an edge
// is in the bin that begins there.
template <class T> __device__ __forceinline__ double in_precision(double value) {
  if constexpr (is_integer<T>)
    return value;
  else
    return static_cast<double>(wide(convert<T>(value)));
}
template <class T> __device__ __forceinline__ double edge_of_bin(unsigned bin, double low, double step) {
  return in_precision<T>(__dadd_rn(low, __dmul_rn(static_cast<double>(bin), step)));
}

// Counters of a block in shared memory where they fit, of all blocks in `counts`. low, high: both belong to bins.
template <class Index, class At>
__device__ __forceinline__ void count_bins(unsigned long long* counts, Count n, unsigned bins, double low, double high,
                                           const At& at) {
  using T = decltype(at(Index()));
  const double step = __ddiv_rn(high - low, static_cast<double>(bins));
  const double first = in_precision<T>(low), last = in_precision<T>(high);
  extern __shared__ unsigned xcuda_bins[];
  const bool shared = bins <= 4096;
  if (shared) {
    for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) xcuda_bins[b] = 0;
    __syncthreads();
  }
  const Count stride = static_cast<Count>(gridDim.x) * blockDim.x;
  for (Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    const double value = static_cast<double>(wide(at(static_cast<Index>(i))));
    if (value >= first && value <= last) {
      const double place = (value - low) / (high - low) * bins;
      unsigned bin = place >= bins ? bins - 1 : place > 0 ? static_cast<unsigned>(place) : 0;
      if (bin > 0 && value < edge_of_bin<T>(bin, low, step))
        --bin;
      else if (bin + 1 < bins && value >= edge_of_bin<T>(bin + 1, low, step))
        ++bin;
      if (shared)
        atomicAdd(&xcuda_bins[bin], 1u);
      else
        atomicAdd(&counts[bin], 1ull);
    }
  }
  if (shared) {
    __syncthreads();
    for (unsigned b = threadIdx.x; b < bins; b += blockDim.x)
      if (xcuda_bins[b] != 0) atomicAdd(&counts[b], static_cast<unsigned long long>(xcuda_bins[b]));
  }
}

// Whether element i of a sorted array is the first of its kind.
template <class T> __device__ __forceinline__ unsigned long first_term(unsigned long i, const T* sorted) {
  if (i == 0) return 1;
  const T a = sorted[i - 1], b = sorted[i];
  if constexpr (is_real<T> || is_short<T>)
    return wide(a) == wide(b) || (wide(a) != wide(a) && wide(b) != wide(b)) ? 0 : 1;
  else
    return a == b ? 0 : 1;
}

}  // namespace xcuda
