// What --race and --init know of a launch: for each word its last write and its reads, with thread and time. With them
// blocks run one after the other, so that the answer is the same each time; whether two accesses race is decided by
// what orders them, not by the order in which they happened to run:
//   - lanes of a warp are ordered by __syncwarp, shuffles and votes that name both; threads of a block by barriers, and
//     by an mbarrier that one has arrived at before the other has waited for it;
//   - all threads by a fence of the one after its access, an atomic of it, and an atomic of the same word by the other
//     before its own access; or by a release in place of the fence and the atomic. Those for a block order its threads;
//   - warps of a tile of cooperative groups by its sync(), which takes bits of a word that all such tiles share;
//   - atomics do not conflict with atomics, and two writes of the same value do not conflict;
//   - what cp.async copies is written when its thread waits for it, and not before.
//
// Time passes where something is ordered, not with each access. Nearly all accesses are rows of words that no other
// thread touched: these are marked many at once (shadow.hpp), the others one by one.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "device/cpu/abi/kernel_abi.hpp"
#include "device/cpu/abi/kernel_code.hpp"
#include "device/cpu/memory/address_space.hpp"
#include "device/cpu/watch/block_order.hpp"
#include "device/cpu/watch/shadow.hpp"

namespace xcuda::device::cpu {

struct RecorderParts {
  const KernelCode& code;
  Checks checks;
  AddressSpace& space;
  Shadows& shadows;
  std::span<const AddressRange> bounds;  // by KernelCode::bounds
  std::uint64_t most = 0;                // bytes that the shadows may take
};

class AccessRecorder {
 public:
  explicit AccessRecorder(const RecorderParts& parts);
  AccessRecorder(const AccessRecorder&) = delete;
  AccessRecorder& operator=(const AccessRecorder&) = delete;
  ~AccessRecorder() { shadows_.end(time_); }

  // For LaunchAbi::watched, by KernelCode::bounds: whether accesses through the pointer there have to be reported.
  const std::uint8_t* watched() const { return watched_.data(); }
  const MarkedArray* marked() const { return marked_.data(); }
  AccessView* view_of(const BlockFrame& frame);  // for its shared memory

  // One access that an earlier one conflicts with, or a read of memory that was never written.
  struct Finding {
    enum class Kind : std::uint8_t { race, uninitialised, barrier, too_much } kind = Kind::race;
    std::uint32_t lane = 0;
    Address address = 0;
    Access access = Access::unknown;
    std::uint32_t other_site = 0;    // of the earlier access
    std::uint32_t other_thread = 0;  // linear, in its block
    std::uint64_t other_block = 0;   // linear, in the grid
    bool other_block_differs = false;
    bool several = false;  // the other one is one of several; this thread may be among them
    bool copying = false;  // the other one is a copy that its thread has not waited for
    Access other_access = Access::unknown;
  };
  using Answer = std::optional<Finding>;

  Answer access(const BlockFrame& frame, const LaneCall& call, const CheckedAccesses& accesses);
  // An access of one lane, at the call's site.
  struct Touch {
    std::uint32_t lane = 0;
    Address address = 0;
    std::uint64_t bytes = 0;
    Access kind = Access::read;
  };
  Answer touch(const BlockFrame& frame, const LaneCall& call, const Touch& touch);

  // Marks words that generated code would not mark by itself; false: they cannot be marked here either.
  bool mark(const MarkedRow& row, std::uint64_t* writes, std::uint64_t* reads, std::uint32_t warp);

  void begin_phase(const BlockFrame& frame);                      // where blocks do not take turns
  Answer arrive(const BlockFrame& frame, const LaneCall& call);   // at a barrier
  void suspended(const BlockFrame& frame, const LaneCall& call);  // all lanes of a warp wait at barriers; mask 0: no
  void warp_synchronised(const BlockFrame& frame, const LaneCall& call);
  void fence(const BlockFrame& frame, const LaneCall& call);
  void forget(const AddressRange& range);  // memory that malloc has given to another thread

  // cp.async: a copy begins, to arguments[0] from arguments[1], site.size bytes; what began is a group; all but the
  // newest groups are waited for.
  Answer copy(const BlockFrame& frame, const LaneCall& call);
  void close_group(const BlockFrame& frame, const LaneCall& call);
  void wait_for_copies(const BlockFrame& frame, const LaneCall& call, std::uint64_t newest);

  // Lanes have arrived at the mbarriers at arguments[0], or found them complete.
  void arrived(const BlockFrame& frame, const LaneCall& call);
  void waited(const BlockFrame& frame, const LaneCall& call);

 private:
  struct Copied {
    Address address;
    std::uint32_t bytes, thread, site;
  };
  struct WarpState {
    std::uint32_t phase = 0;                  // barriers passed
    std::vector<std::vector<Copied>> copies;  // groups; the last one is open
  };
  // What threads have told at an address; null before the first one.
  using Told = std::unordered_map<Address, ThreadClock*>;
  struct Mbarrier {
    std::uint64_t phase = 0;        // that it was found in last
    ThreadClock arrived, complete;  // in this phase, and in the one before
  };
  // A word of tiles of cooperative groups: what each of its warps has told, or was told when the tile was complete.
  using TileWord = std::array<ThreadClock, kLanesPerWarp>;
  struct BlockState {
    std::uint64_t block = 0;  // linear
    std::uint32_t begun = 0;  // when
    std::vector<WarpState> warps;
    std::uint32_t phase = 0;  // barriers passed
    BlockOrder order;
    std::optional<std::uint32_t> waits_at;  // site of the barrier of this phase
    std::uint32_t waits_thread = 0;
    std::unordered_map<Address, Mbarrier> mbarriers;
    std::unordered_map<Address, TileWord> tiles;
    Told told;  // to threads of the block
  };
  // Lanes of a warp that have read a word.
  struct Readers {
    std::uint64_t block;
    std::uint32_t warp, lanes, time, site;
  };
  // The thread that accesses, and the kind of access.
  struct Now {
    std::uint32_t thread, warp, site;
    Access kind;
    bool shared;
  };
  // What has to be known of where an access goes: an array, or shared memory, whose words hold when their block wrote
  // them last.
  struct Place {
    Address begin = 0;
    std::uint64_t size = 0;
    Shadow* shadow = nullptr;                      // for --race
    std::vector<std::uint32_t>* stamps = nullptr;  // for --init, of shared memory
    WrittenBytes::Array* unwritten = nullptr;      // for --init, of an array that was not all written
    bool constant = false;                         // the launch does not write it: nothing can race
    bool shared = false;
    bool own = false;  // local memory: of no interest
    bool contains(Address address) const { return address - begin < size; }
  };
  struct Lanes {
    const LaneCall& call;
    const CheckedAccesses& accesses;
    std::uint64_t address(std::uint32_t lane) const {
      return call.results[lane >> accesses.shift] +
             static_cast<std::uint64_t>(accesses.pattern[lane] + accesses.members[0].distance);
    }
  };

  std::uint32_t tick() {
    view_.time = Mark::at(time_ + 1);
    return ++time_;
  }
  void show(const BlockState& state, std::uint32_t warp);  // in the view
  void show(const BlockState& state);
  BlockState& state_of(const BlockFrame& frame);
  BlockState& running(const BlockFrame& frame, std::uint32_t warp);
  void mark_arrays(const RecorderParts& parts);
  std::vector<std::uint32_t>& stamps_of(const BlockFrame& frame);
  // An access of a word that threads pass on what they know at: before it is examined, and after.
  struct Exchange {
    std::uint32_t thread;
    Address address;
    const ptx::Operation& operation;
    bool shared;
  };
  void hear(const BlockFrame& frame, BlockState& state, const Exchange& exchange);
  void tell(const BlockFrame& frame, BlockState& state, const Exchange& exchange);
  struct Tile {
    TileWord* word = nullptr;  // null: the access is of no such word
    std::uint32_t first = 0, warps = 0, warp = 0;
  };
  Tile tile_at(const BlockFrame& frame, BlockState& state, const Exchange& exchange);
  void hear(BlockState& state, const Tile& tile, const Exchange& exchange);
  void tell(BlockState& state, const Tile& tile, const Exchange& exchange);
  ThreadClock& fresh(Told& told, const Exchange& exchange);
  static ThreadClock* found(const Told& told, Address address);
  Mbarrier& mbarrier_at(const BlockFrame& frame, BlockState& state, Address address);
  void begin_block(BlockState& state, const BlockFrame& frame, std::uint64_t block);
  Place place_of(const BlockFrame& frame, Address address, const AccessSite& site);
  Place& place_at(const BlockFrame& frame, Address address, std::uint32_t site);
  Order order_of(const BlockState& state, std::uint32_t warp, std::uint32_t since) const;  // marks before do not count
  std::uint64_t block_at(std::uint32_t time) const;                                        // the block that ran then
  bool is_own(const BlockState& state, std::uint32_t time) const {                         // whether it is the same one
    return code_.yields ? block_at(time) == state.block : time >= state.begun;
  }

  bool mark_group(const BlockFrame& frame, const Lanes& lanes, std::uint32_t first, std::uint32_t count);
  bool stamp_group(const Place& place, Access kind, Address begin, std::uint64_t bytes) const;
  static bool mark_common_read(std::uint64_t written, std::uint64_t& read, Mark mark, const Order& order);
  void mark_copied(const BlockFrame& frame, const Copied& copied, std::uint32_t time);
  Answer initialised(const Place& place, const Touch& touch);
  Answer touched(BlockState& state, const BlockFrame& frame, const LaneCall& call, const Touch& touch,
                 const Lanes* stored);
  Answer examined(BlockState& state, const Place& place, const LaneCall& call, const Touch& touch, const Lanes* stored);
  Answer marked(BlockState& state, const Place& place, const Now& now, const Touch& touch, const Lanes* stored);
  bool writes_the_same(Mark write, const Now& now, const Touch& touch, const Lanes* stored, Address word,
                       std::uint32_t unit) const;
  bool ordered(const BlockState& state, Mark mark, const Now& now) const;
  bool ordered(const BlockState& state, const Readers& readers, const Now& now) const;
  bool meet_as_atomics(const BlockState& state, Mark other, const Now& now) const;
  Mark mark_reader(const BlockState& state, Mark before, const Now& now) const;
  Mark add_reader(const BlockState& state, Mark before, const Now& now, Address word);
  Answer unordered_reader(const BlockState& state, const Now& now, Address word) const;
  Answer conflict(const BlockState& state, Mark mark, Access access, const Now& now) const;

  const KernelCode& code_;
  Checks checks_;
  AddressSpace& space_;
  Shadows& shadows_;
  std::uint32_t time_, launch_time_;
  std::unordered_map<std::uint64_t, BlockState> blocks_;  // of kernels whose blocks take turns; else only own_
  BlockState own_;
  BlockState* current_ = nullptr;
  bool exchanges_ = false;          // the kernel has fences, or atomics that release
  std::deque<ThreadClock> clocks_;  // of what was told; some are referred to
  Told told_;                       // to all blocks
  // By word, where several threads have read it: all of them, of kernels whose blocks take turns.
  std::unordered_map<Address, std::vector<Readers>> readers_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> turns_;  // since when which block ran
  std::array<Place, 16> last_{};                                // by site: where it went last
  unsigned unit_shift_ = 2;
  std::vector<std::uint8_t> watched_;
  std::vector<MarkedArray> marked_;
  AccessView view_;
  std::array<std::uint64_t, 4 * kLanesPerWarp> no_reads_{};                  // as long as the longest row
  std::set<Address> written_ranges_;                                         // ranges that the launch may write to
  bool writes_anywhere_ = false;                                             // where pointers of unknown origin lead
  std::unordered_map<const std::byte*, std::vector<std::uint32_t>> stamps_;  // by shared memory
};

}  // namespace xcuda::device::cpu
