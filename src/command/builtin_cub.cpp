// CUB's blocks and warps, and the matrix tiles of WMMA.
#include "command/builtin_tables.hpp"

namespace xcuda::command {

std::string_view cub_table() {
  return R"([type device <cub/block/block_reduce.cuh>]
cub::BlockReduce<T, int threads> | Reduce over the threads of a block: cub::BlockReduce<float, 256>(temp).Sum(x)

[members cub::BlockReduce]
T Sum(T x) | Sum over the block; thread 0 has it
T Reduce(T x, op) | What op makes of the block's values; thread 0 has it

[type device <cub/block/block_scan.cuh>]
cub::BlockScan<T, int threads> | Running sums over the threads of a block

[members cub::BlockScan]
void ExclusiveSum(T x, T& out) | Sum of the threads in front of this one
void InclusiveSum(T x, T& out) | Sum up to this thread
void ExclusiveScan(T x, T& out, T init, op) | What op makes of the threads in front of this one
void InclusiveScan(T x, T& out, op) | What op makes of the threads up to this one

[type device <cub/block/block_radix_sort.cuh>]
cub::BlockRadixSort<Key, int threads, int items, Value = cub::NullType> | Sort the keys of a block's threads

[members cub::BlockRadixSort]
void Sort(Key (&keys)[items]) | In rising order, each thread keeps neighbours
void SortDescending(Key (&keys)[items]) | In falling order, each thread keeps neighbours
void SortBlockedToStriped(Key (&keys)[items]) | In rising order, neighbours in neighbouring threads
void SortDescendingBlockedToStriped(Key (&keys)[items]) | In falling order, neighbours in neighbouring threads

[type device <cub/block/block_merge_sort.cuh>]
cub::BlockMergeSort<Key, int threads, int items> | Sort the keys of a block's threads by any comparison

[members cub::BlockMergeSort]
void Sort(Key (&keys)[items], less) | Sort by a comparison
void StableSort(Key (&keys)[items], less) | The same; equal keys keep their order

[type device <cub/block/block_load.cuh>]
cub::BlockLoad<T, int threads, int items, cub::BlockLoadAlgorithm algorithm = cub::BLOCK_LOAD_DIRECT> | Load a tile of a block from global memory

[members cub::BlockLoad]
void Load(iterator from, T (&items)[N]) | Load this thread's items

[type device <cub/block/block_store.cuh>]
cub::BlockStore<T, int threads, int items, cub::BlockStoreAlgorithm algorithm = cub::BLOCK_STORE_DIRECT> | Store a tile of a block to global memory

[members cub::BlockStore]
void Store(iterator to, T (&items)[N]) | Store this thread's items

[type device <cub/block/block_exchange.cuh>]
cub::BlockExchange<T, int threads, int items> | Rearrange items between the threads of a block

[members cub::BlockExchange]
void StripedToBlocked(const T (&in)[items], T (&out)[items]) | From every threads-th item to neighbours in each thread
void BlockedToStriped(const T (&in)[items], T (&out)[items]) | From neighbours in each thread to every threads-th item

[type device <cub/block/block_histogram.cuh>]
cub::BlockHistogram<T, int threads, int items, int bins> | Count the items of a block in bins

[members cub::BlockHistogram]
void InitHistogram(Counter (&counts)[bins]) | Set the counts to 0
void Composite(T (&items)[items], Counter (&counts)[bins]) | Add to counts
void Histogram(T (&items)[items], Counter (&counts)[bins]) | Count from 0

[type device <cub/block/block_discontinuity.cuh>]
cub::BlockDiscontinuity<T, int threads> | Find where neighbouring items of a block differ

[members cub::BlockDiscontinuity]
void FlagHeads(Flag (&heads)[items], T (&items)[items], op) | Mark the first item of each run
void FlagTails(Flag (&tails)[items], T (&items)[items], op) | Mark the last item of each run

[type device <cub/block/block_adjacent_difference.cuh>]
cub::BlockAdjacentDifference<T, int threads> | Differences of neighbouring items of a block

[members cub::BlockAdjacentDifference]
void SubtractLeft(T (&in)[items], Out (&out)[items], op) | op of each item and the one before it
void SubtractRight(T (&in)[items], Out (&out)[items], op) | op of each item and the one behind it

[type device <cub/block/block_shuffle.cuh>]
cub::BlockShuffle<T, int threads> | Items of other threads of a block

[type device <cub/warp/warp_reduce.cuh>]
cub::WarpReduce<T, int threads = 32> | Reduce over the threads of a warp: cub::WarpReduce<float>(temp).Sum(x)

[members cub::WarpReduce]
T Sum(T x) | Sum over the warp; lane 0 has it
T Reduce(T x, op) | What op makes of the warp's values; lane 0 has it
T HeadSegmentedSum(T x, flag) | Sums of segments that begin where the flag is set
T TailSegmentedSum(T x, flag) | Sums of segments that end where the flag is set

[type device <cub/warp/warp_scan.cuh>]
cub::WarpScan<T, int threads = 32> | Running sums over the threads of a warp

[members cub::WarpScan]
void InclusiveSum(T x, T& out) | Sum up to this lane
void ExclusiveSum(T x, T& out) | Sum of the lanes in front of this one
void InclusiveScan(T x, T& out, op) | What op makes of the lanes up to this one
void ExclusiveScan(T x, T& out, T init, op) | What op makes of the lanes in front of this one
void Scan(T x, T& inclusive, T& exclusive, op) | Both
T Broadcast(T x, unsigned lane) | The value of one lane

[type device <cub/warp/warp_merge_sort.cuh>]
cub::WarpMergeSort<Key, int items, int threads = 32> | Sort the keys of a warp's threads by any comparison

[members cub::WarpMergeSort]
void Sort(Key (&keys)[items], less) | Sort by a comparison
void StableSort(Key (&keys)[items], less) | The same; equal keys keep their order

[type device <cub/warp/warp_load.cuh>]
cub::WarpLoad<T, int items, cub::WarpLoadAlgorithm algorithm = cub::WARP_LOAD_DIRECT, int threads = 32> | Load a tile of a warp from global memory

[type device <cub/warp/warp_store.cuh>]
cub::WarpStore<T, int items, cub::WarpStoreAlgorithm algorithm = cub::WARP_STORE_DIRECT, int threads = 32> | Store a tile of a warp to global memory

[function device <mma.h>]
void nvcuda::wmma::fill_fragment(fragment& a, T value) | Set all elements of a fragment
void nvcuda::wmma::load_matrix_sync(fragment& a, const T* from, unsigned ldm) | Load a tile of a matrix; an accumulator takes the layout, too
void nvcuda::wmma::store_matrix_sync(T* to, const fragment& a, unsigned ldm, layout_t layout) | Store a tile of a matrix
void nvcuda::wmma::mma_sync(fragment& d, const fragment& a, const fragment& b, const fragment& c) | d = a * b + c on the tensor cores

[type device <mma.h>]
nvcuda::wmma::fragment<Use, int m, int n, int k, T, Layout = void> | Part of a matrix tile that the threads of a warp hold together
nvcuda::wmma::matrix_a | The left factor, as a fragment's use
nvcuda::wmma::matrix_b | The right factor, as a fragment's use
nvcuda::wmma::accumulator | The sum, as a fragment's use
nvcuda::wmma::row_major | Rows one behind the other
nvcuda::wmma::col_major | Columns one behind the other
nvcuda::wmma::layout_t | How an accumulator is stored: mem_row_major or mem_col_major

[value device <mma.h>]
nvcuda::wmma::layout_t nvcuda::wmma::mem_row_major | Rows one behind the other
nvcuda::wmma::layout_t nvcuda::wmma::mem_col_major | Columns one behind the other

[members nvcuda::wmma::fragment]
T x | This thread's elements, num_elements of them
int num_elements | How many elements this thread holds
)";
}

}  // namespace xcuda::command
