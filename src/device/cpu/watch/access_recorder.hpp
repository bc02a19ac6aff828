// What --race and --init know of a launch: for each word its last write and its reads, with thread and time. With them
// blocks run one after the other, so that the answer is the same each time; whether two accesses race is decided by
// what orders them, not by the order in which they happened to run:
//   - threads of one warp are ordered by __syncwarp, shuffles and votes; threads of a block by barriers, and by an
//     mbarrier that one has arrived at before the other has waited for it;
//   - blocks by nothing, but for a fence of the one after its access and an atomic of the other before its own;
//   - threads of a block also by that, where both atomics are of one word: locks, and barriers of some threads;
//   - atomics do not conflict with atomics, and two writes of the same value do not conflict;
//   - what cp.async copies is written when its thread waits for it, and not before.
//
// Time passes where something is ordered, not with each access. Nearly all accesses are rows of words that no other
// thread touched: these are marked many at once (shadow.hpp), the others one by one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "device/cpu/abi/kernel_abi.hpp"
#include "device/cpu/abi/kernel_code.hpp"
#include "device/cpu/memory/address_space.hpp"
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
    std::uint32_t synchronised = 0;           // when, by itself
    std::uint32_t ordered = 0;                // when, with others of its block, by mbarriers
    std::vector<std::vector<Copied>> copies;  // groups; the last one is open
  };
  // By thread of the block, rising: the time until which its accesses are ordered before.
  using Clock = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  struct BlockState {
    std::uint64_t block = 0;  // linear
    std::uint32_t begun = 0;  // when
    std::vector<WarpState> warps;
    std::uint32_t phase = 0, phase_time = 0;  // when the phase began
    bool acquired = false;                    // an atomic has been done
    std::optional<std::uint32_t> waits_at;    // site of the barrier of this phase
    std::uint32_t waits_thread = 0;
    std::unordered_map<Address, std::uint32_t> mbarriers;  // when somebody arrived there last
    // If blocks take turns: when each thread's last fence was, what it knows of the others, and what atomics at each
    // address have passed on.
    std::vector<std::uint32_t> fenced;
    std::vector<Clock> known;
    std::unordered_map<Address, Clock> told;
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
  void exchange(BlockState& state, std::uint32_t thread, Address address) const;
  static bool knows(const BlockState& state, std::uint32_t thread, Mark mark);
  void begin_block(BlockState& state, const BlockFrame& frame, std::uint64_t block);
  Place place_of(const BlockFrame& frame, Address address, const AccessSite& site);
  Place& place_at(const BlockFrame& frame, Address address, std::uint32_t site);
  Order order_of(const BlockState& state, std::uint32_t warp, std::uint32_t since) const;  // marks before do not count
  std::uint64_t block_at(std::uint32_t time) const;                                        // the block that ran then
  bool is_own(const BlockState& state, std::uint32_t time) const {                         // whether it is the same one
    return code_.yields ? block_at(time) == state.block : time >= state.begun;
  }
  std::uint32_t released(std::uint64_t block) const;

  bool mark_group(const BlockFrame& frame, const Lanes& lanes, std::uint32_t first, std::uint32_t count);
  bool stamp_group(const Place& place, Access kind, Address begin, std::uint64_t bytes) const;
  static bool mark_common_read(std::uint64_t written, std::uint64_t& read, Mark mark, const Order& order);
  void mark_copied(const BlockFrame& frame, const Copied& copied, std::uint32_t time);
  Answer initialised(const Place& place, const Touch& touch);
  Answer touched(BlockState& state, const BlockFrame& frame, const LaneCall& call, const Touch& touch,
                 const Lanes* stored);
  Answer marked(BlockState& state, const Place& place, const Now& now, const Touch& touch, const Lanes* stored);
  bool writes_the_same(Mark write, const Now& now, const Touch& touch, const Lanes* stored, Address word,
                       std::uint32_t unit) const;
  bool ordered(const BlockState& state, Mark mark, const Now& now) const;
  Answer conflict(const BlockState& state, Mark mark, Access access, const Now& now) const;

  const KernelCode& code_;
  Checks checks_;
  AddressSpace& space_;
  Shadows& shadows_;
  std::uint32_t time_, launch_time_;
  std::unordered_map<std::uint64_t, BlockState> blocks_;  // of kernels whose blocks take turns; else only own_
  BlockState own_;
  BlockState* current_ = nullptr;
  std::unordered_map<std::uint64_t, std::uint32_t> released_;   // when a block's last fence was
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
