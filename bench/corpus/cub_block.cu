// CUB's collectives of a block and of a warp, for several types and items a thread.
#include <cuda_fp16.h>
#include <cub/cub.cuh>

template <class T, int Items, cub::BlockScanAlgorithm Algorithm> __global__ void scan(T* data) {
  using Scan = cub::BlockScan<T, 128, Algorithm>;
  using Load = cub::BlockLoad<T, 128, Items, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<T, 128, Items, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union {
    typename Scan::TempStorage scan;
    typename Load::TempStorage load;
    typename Store::TempStorage store;
  } room;
  T items[Items];
  Load(room.load).Load(data + blockIdx.x * 128 * Items, items);
  __syncthreads();
  Scan(room.scan).InclusiveSum(items, items);
  __syncthreads();
  Store(room.store).Store(data + blockIdx.x * 128 * Items, items);
}

template <class T, int Items> __global__ void sort(T* data) {
  using Sort = cub::BlockRadixSort<T, 128, Items>;
  __shared__ typename Sort::TempStorage room;
  T items[Items];
  cub::LoadDirectStriped<128>(threadIdx.x, data + blockIdx.x * 128 * Items, items);
  Sort(room).SortBlockedToStriped(items);
  cub::StoreDirectStriped<128>(threadIdx.x, data + blockIdx.x * 128 * Items, items);
}

template <class T, int Items> struct Less {
  __device__ bool operator()(const T& a, const T& b) const { return a < b; }
};

template <class T, int Items> __global__ void merge_sort(T* data, int valid) {
  using Sort = cub::BlockMergeSort<T, 128, Items>;
  __shared__ typename Sort::TempStorage room;
  T items[Items];
  cub::LoadDirectBlocked(threadIdx.x, data + blockIdx.x * 128 * Items, items, valid, T{});
  Sort(room).Sort(items, Less<T, Items>{}, valid, T{});
  cub::StoreDirectBlocked(threadIdx.x, data + blockIdx.x * 128 * Items, items, valid);
}

template <class T, int Items, cub::BlockReduceAlgorithm Algorithm> __global__ void reduce(const T* data, T* sums) {
  using Reduce = cub::BlockReduce<T, 128, Algorithm>;
  __shared__ typename Reduce::TempStorage room;
  T items[Items];
  cub::LoadDirectStriped<128>(threadIdx.x, data + blockIdx.x * 128 * Items, items);
  const T sum = Reduce(room).Sum(items);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

template <class T, int Items> __global__ void heads(const T* data, int* marks, int* counts) {
  using Mark = cub::BlockDiscontinuity<T, 128>;
  using Scan = cub::BlockScan<int, 128>;
  __shared__ typename Mark::TempStorage mark_room;
  __shared__ typename Scan::TempStorage scan_room;
  T items[Items];
  int flags[Items], total;
  cub::LoadDirectBlocked(threadIdx.x, data + blockIdx.x * 128 * Items, items);
  Mark(mark_room).FlagHeads(flags, items, cuda::std::not_equal_to<>{});
  Scan(scan_room).ExclusiveSum(flags, flags, total);
  cub::StoreDirectBlocked(threadIdx.x, marks + blockIdx.x * 128 * Items, flags);
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

template <class T, int Items, cub::BlockHistogramAlgorithm Algorithm>
__global__ void histogram(const T* data, int* bins) {
  using Histogram = cub::BlockHistogram<T, 128, Items, 64, Algorithm>;
  __shared__ typename Histogram::TempStorage room;
  __shared__ int counts[64];
  T items[Items];
  cub::LoadDirectStriped<128>(threadIdx.x, data + blockIdx.x * 128 * Items, items);
  Histogram(room).Histogram(items, counts);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(bins + threadIdx.x, counts[threadIdx.x]);
}

template <class T, int Lanes> __global__ void warp(T* data, T* sums) {
  using Scan = cub::WarpScan<T, Lanes>;
  using Reduce = cub::WarpReduce<T, Lanes>;
  __shared__ typename Scan::TempStorage scan_room[128 / Lanes];
  __shared__ typename Reduce::TempStorage reduce_room[128 / Lanes];
  const int i = blockIdx.x * 128 + threadIdx.x;
  T value = data[i], scanned;
  Scan(scan_room[threadIdx.x / Lanes]).ExclusiveSum(value, scanned);
  sums[i] = Reduce(reduce_room[threadIdx.x / Lanes]).Sum(scanned);
  data[i] = scanned;
}

#define SCANS(T, Items)                                                \
  template __global__ void scan<T, Items, cub::BLOCK_SCAN_RAKING>(T*); \
  template __global__ void scan<T, Items, cub::BLOCK_SCAN_WARP_SCANS>(T*);
#define REDUCES(T, Items)                                                            \
  template __global__ void reduce<T, Items, cub::BLOCK_REDUCE_RAKING>(const T*, T*); \
  template __global__ void reduce<T, Items, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(const T*, T*);
#define OTHERS(T, Items)                                  \
  template __global__ void sort<T, Items>(T*);            \
  template __global__ void merge_sort<T, Items>(T*, int); \
  template __global__ void heads<T, Items>(const T*, int*, int*);
#define WARPS(T)                               \
  template __global__ void warp<T, 8>(T*, T*); \
  template __global__ void warp<T, 32>(T*, T*);

#define SIZES(T) SCANS(T, 1) SCANS(T, 4) SCANS(T, 12) REDUCES(T, 1) REDUCES(T, 8)
SIZES(int);
SIZES(float);
SIZES(double);
SIZES(unsigned long long);
OTHERS(unsigned, 1);
OTHERS(unsigned, 4);
OTHERS(unsigned, 9);
OTHERS(float, 4);
OTHERS(double, 4);
OTHERS(long long, 7);
OTHERS(unsigned char, 8);
OTHERS(short, 5);
WARPS(int);
WARPS(float);
WARPS(double);
WARPS(long long);
template __global__ void histogram<unsigned char, 4, cub::BLOCK_HISTO_ATOMIC>(const unsigned char*, int*);
template __global__ void histogram<unsigned char, 4, cub::BLOCK_HISTO_SORT>(const unsigned char*, int*);
