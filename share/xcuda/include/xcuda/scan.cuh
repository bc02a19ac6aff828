// Running combinations of elements in three launches: every block's total, the totals' prefixes, and the elements
// again. Only the order of combining is free: an associative function is enough. Included after xcuda/elementwise.cuh.
#pragma once

#include "reduce.cuh"
#include "unroll.cuh"

namespace xcuda {

constexpr int kScanBlock = 256, kScanItems = 16;  // threads, and what each takes at a time

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

// What the threads before this one hold, put together; total: of all threads. Warps for themselves, then in order.
template <class Function, class State> __device__ Slot<State> scan_block(const Slot<State>& own, Slot<State>& total) {
  __shared__ alignas(16) unsigned char memory[sizeof(Slot<State>) * kScanBlock];
  __shared__ alignas(16) unsigned char ends[sizeof(Slot<State>) * kScanBlock / 32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Slot<State>* const of_warp = reinterpret_cast<Slot<State>*>(memory) + warp * 32;
  Slot<State>* const of_block = reinterpret_cast<Slot<State>*>(ends);
  Slot<State> sum = own;
  of_warp[lane] = sum;
  __syncwarp();
  XCUDA_UNROLL
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    if (lane >= distance) sum = join<Function>(of_warp[lane - distance], sum);
    __syncwarp();
    of_warp[lane] = sum;
    __syncwarp();
  }
  if (lane == 31) of_block[warp] = sum;
  __syncthreads();
  Slot<State> before{};
  total = Slot<State>{};
  for (unsigned w = 0; w < kScanBlock / 32; ++w) {
    if (w == warp) before = total;
    total = join<Function>(total, of_block[w]);
  }
  if (lane > 0) before = join<Function>(before, of_warp[lane - 1]);
  __syncthreads();
  return before;
}

enum class Scan { inclusive, exclusive };

// What a thread takes of [begin, end) at a time: kScanItems neighbours, or as many as are left.
struct Share {
  Count first;
  int count;
  __device__ __forceinline__ Share(Count base, Count end) : first(base + threadIdx.x * kScanItems) {
    count = first >= end ? 0 : end - first < kScanItems ? static_cast<int>(end - first) : kScanItems;
  }
  __device__ __forceinline__ bool full() const { return count == kScanItems; }
};

// take(i, values) reads N elements from i on, one(i) reads one.
template <int N, class Function, class State, class Take, class One>
__device__ __forceinline__ Slot<State> take_share(const Share& share, State (&items)[kScanItems], const Take& take,
                                                  const One& one) {
  if (N > 1 && share.full()) {
    XCUDA_UNROLL
    for (int k = 0; k < kScanItems; k += N) take(share.first + k, items + k);
  } else {
    XCUDA_UNROLL
    for (int k = 0; k < kScanItems; ++k)
      if (k < share.count) items[k] = one(share.first + k);
  }
  Slot<State> own{};
  XCUDA_UNROLL
  for (int k = 0; k < kScanItems; ++k)
    if (k < share.count) own = join<Function>(own, Slot<State>{items[k], true});
  return own;
}

// The elements [begin, end), put together.
template <int N, class Function, class State, class Take, class One>
__device__ __forceinline__ Slot<State> scan_total(Count begin, Count end, const Take& take, const One& one) {
  Slot<State> sum{};
  for (Count base = begin; base < end; base += kScanBlock * kScanItems) {
    State items[kScanItems];
    Slot<State> total;
    scan_block<Function>(take_share<N, Function>(Share(base, end), items, take, one), total);
    sum = join<Function>(sum, total);
  }
  return sum;
}

template <int N, Scan kind, class Function, class Result, class State, class Take, class One>
__device__ __forceinline__ void scan_chunk(Result* out, Slot<State> carry, Count begin, Count end, const Take& take,
                                           const One& one) {
  for (Count base = begin; base < end; base += kScanBlock * kScanItems) {
    const Share share(base, end);
    State items[kScanItems];
    Slot<State> total;
    const auto own = take_share<N, Function>(share, items, take, one);
    auto before = join<Function>(carry, scan_block<Function>(own, total));
    carry = join<Function>(carry, total);
    Result results[kScanItems];
    XCUDA_UNROLL
    for (int k = 0; k < kScanItems; ++k) {
      if (k >= share.count) break;
      const auto upto = join<Function>(before, Slot<State>{items[k], true});
      results[k] = convert<Result>((kind == Scan::inclusive ? upto : before).value);
      before = upto;
    }
    if constexpr (N > 1)
      if (share.full()) {
        XCUDA_UNROLL
        for (int k = 0; k < kScanItems; k += N) {
          Pack<Result, N> pack;
          XCUDA_UNROLL
          for (int j = 0; j < N; ++j) pack.at[j] = results[k + j];
          store_pack(out + share.first + k, pack);
        }
        continue;
      }
    XCUDA_UNROLL
    for (int k = 0; k < kScanItems; ++k)
      if (k < share.count) out[share.first + k] = results[k];
  }
}

// The totals of chunks, each replaced by what comes before it. One block.
template <class Function, class State>
__device__ __forceinline__ void scan_totals(Slot<State>* totals, Count n, Slot<State> carry) {
  for (Count base = 0; base < n; base += kScanBlock * kScanItems) {
    const Share share(base, n);
    Slot<State> items[kScanItems], own{}, total;
    XCUDA_UNROLL
    for (int k = 0; k < kScanItems; ++k)
      if (k < share.count) own = join<Function>(own, items[k] = totals[share.first + k]);
    auto before = join<Function>(carry, scan_block<Function>(own, total));
    carry = join<Function>(carry, total);
    XCUDA_UNROLL
    for (int k = 0; k < kScanItems; ++k)
      if (k < share.count) {
        totals[share.first + k] = before;
        before = join<Function>(before, items[k]);
      }
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

// Counters of a block in shared memory where they fit, of all blocks in `counts`. low, high: both belong to bins.
template <class Index, class At>
__device__ __forceinline__ void count_bins(unsigned long long* counts, Count n, unsigned bins, double low, double high,
                                           const At& at) {
  extern __shared__ unsigned xcuda_bins[];
  const bool shared = bins <= 4096;
  if (shared) {
    for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) xcuda_bins[b] = 0;
    __syncthreads();
  }
  const Count stride = static_cast<Count>(gridDim.x) * blockDim.x;
  for (Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    const double value = static_cast<double>(wide(at(static_cast<Index>(i))));
    if (value >= low && value <= high) {
      const double place = (value - low) / (high - low) * bins;
      const unsigned bin = place >= bins ? bins - 1 : static_cast<unsigned>(place);
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
