// Cooperative groups, with the members of each.
#include "command/builtin_tables.hpp"

namespace xcuda::command {

std::string_view group_table() {
  return R"([function device <cooperative_groups.h>]
cooperative_groups::thread_block cooperative_groups::this_thread_block() | The threads of this block as a group
cooperative_groups::grid_group cooperative_groups::this_grid() | All threads of the grid; sync() needs a cooperative launch
cooperative_groups::cluster_group cooperative_groups::this_cluster() | The blocks of this cluster (compute capability 9.0)
cooperative_groups::coalesced_group cooperative_groups::coalesced_threads() | The threads that run together now
cooperative_groups::thread_block_tile<N> cooperative_groups::tiled_partition<N>(group) | Tiles of N threads, a power of 2 up to 32
cooperative_groups::coalesced_group cooperative_groups::binary_partition(group, bool predicate) | Those for which the predicate is the same
cooperative_groups::coalesced_group cooperative_groups::labeled_partition(group, T label) | Those with the same label
void cooperative_groups::sync(group) | Wait for the threads of a group
unsigned cooperative_groups::thread_rank(group) | This thread's number in a group

[type device <cooperative_groups.h>]
cooperative_groups::thread_block | The threads of a block as a group
cooperative_groups::grid_group | The threads of a grid as a group
cooperative_groups::cluster_group | The blocks of a cluster as a group (compute capability 9.0)
cooperative_groups::thread_group | Any group
cooperative_groups::coalesced_group | Threads that run together
cooperative_groups::thread_block_tile<unsigned N> | N neighbouring threads of a block

[function device <cooperative_groups/reduce.h>]
T cooperative_groups::reduce(group, T value, op) | Reduce over a group; every thread gets the result
void cooperative_groups::reduce_update_async(group, atomic& target, T value, op) | Reduce over a group into an atomic

[type device <cooperative_groups/reduce.h>]
cooperative_groups::plus<T> | The sum, for reduce() and scans
cooperative_groups::less<T> | The lesser one, for reduce() and scans
cooperative_groups::greater<T> | The greater one, for reduce() and scans
cooperative_groups::bit_and<T> | Bitwise and, for reduce() and scans
cooperative_groups::bit_or<T> | Bitwise or, for reduce() and scans
cooperative_groups::bit_xor<T> | Bitwise xor, for reduce() and scans

[function device <cooperative_groups/scan.h>]
T cooperative_groups::inclusive_scan(group, T value, op) | What op makes of the values up to this thread's, its own included
T cooperative_groups::exclusive_scan(group, T value, op) | What op makes of the values in front of this thread's

[function device <cooperative_groups/memcpy_async.h>]
void cooperative_groups::memcpy_async(group, T* to, const T* from, size_t bytes) | Copy to shared memory by all threads of a group without waiting
void cooperative_groups::wait(group) | Wait for the group's asynchronous copies
void cooperative_groups::wait_prior<N>(group) | Wait for all but the last N asynchronous copies

[members cooperative_groups::thread_block]
void sync() | Wait for all threads of the block
unsigned thread_rank() | This thread's number in the block
unsigned num_threads() | Threads of the block
unsigned size() | Threads of the block
dim3 group_index() | This block in the grid
dim3 thread_index() | This thread in the block
dim3 dim_threads() | Threads of the block in each dimension
arrival_token barrier_arrive() | Arrive at the block's barrier without waiting
void barrier_wait(arrival_token&& token) | Wait for the barrier that was arrived at

[members cooperative_groups::grid_group]
void sync() | Wait for all threads of the grid, in a cooperative launch
bool is_valid() | Whether sync() may be used
unsigned long long thread_rank() | This thread's number in the grid
unsigned long long num_threads() | Threads of the grid
unsigned long long block_rank() | This block's number in the grid
unsigned long long num_blocks() | Blocks of the grid
dim3 block_index() | This block in the grid
dim3 dim_blocks() | Blocks of the grid in each dimension
unsigned long long size() | Threads of the grid

[members cooperative_groups::cluster_group]
void sync() | Wait for all threads of the cluster
unsigned thread_rank() | This thread's number in the cluster
unsigned num_threads() | Threads of the cluster
unsigned block_rank() | This block's number in the cluster
unsigned num_blocks() | Blocks of the cluster
dim3 block_index() | This block in the cluster
dim3 thread_index() | This thread in the cluster
dim3 dim_blocks() | Blocks of the cluster in each dimension
dim3 dim_threads() | Threads of the cluster in each dimension
T* map_shared_rank(T* address, int rank) | A variable of shared memory in another block of the cluster
unsigned query_shared_rank(const void* address) | The block whose shared memory an address is in

[members cooperative_groups::thread_block_tile]
void sync() | Wait for the threads of the tile
unsigned thread_rank() | This thread's number in the tile
unsigned num_threads() | Threads of the tile
unsigned size() | Threads of the tile
unsigned meta_group_rank() | This tile's number among those of the partition
unsigned meta_group_size() | Tiles of the partition
T shfl(T value, int rank) | The value of another thread of the tile
T shfl_up(T value, unsigned delta) | The value of the thread delta below
T shfl_down(T value, unsigned delta) | The value of the thread delta above
T shfl_xor(T value, unsigned mask) | The value of the thread whose number is this one's xor mask
int any(int predicate) | Not 0 if the predicate holds in a thread
int all(int predicate) | Not 0 if the predicate holds in all threads
unsigned ballot(int predicate) | A bit for each thread in which the predicate holds
unsigned match_any(T value) | The threads with the same value
unsigned match_all(T value, int& predicate) | All threads if they have the same value, else 0

[members cooperative_groups::coalesced_group]
void sync() | Wait for the threads of the group
unsigned thread_rank() | This thread's number in the group
unsigned num_threads() | Threads of the group
unsigned size() | Threads of the group
unsigned meta_group_rank() | This group's number among those of the partition
unsigned meta_group_size() | Groups of the partition
T shfl(T value, int rank) | The value of another thread of the group
T shfl_up(T value, unsigned delta) | The value of the thread delta below
T shfl_down(T value, unsigned delta) | The value of the thread delta above
int any(int predicate) | Not 0 if the predicate holds in a thread
int all(int predicate) | Not 0 if the predicate holds in all threads
unsigned ballot(int predicate) | A bit for each thread in which the predicate holds
unsigned match_any(T value) | The threads with the same value
unsigned match_all(T value, int& predicate) | All threads if they have the same value, else 0
)";
}

}  // namespace xcuda::command
