// What orders the accesses of one block's threads, for --race: what each of them knows of the others and of other
// blocks. Barriers of the block and of warps are numbers; what fences and atomics, mbarriers and barriers of some warps
// pass on is a clock, which a thread has from the first time on that it hears something.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/cpu/abi/kernel_abi.hpp"
#include "device/cpu/watch/thread_clock.hpp"

namespace xcuda::device::cpu {

enum class FenceScope : std::uint8_t { block, grid };

class BlockOrder {
 public:
  using Time = std::uint32_t;

  struct Block {
    std::uint64_t number = 0;  // linear
    std::uint32_t warps = 1;
    std::uint32_t last_mask = 0xffff'ffff;  // lanes of the last warp
  };
  void begin(const Block& block, Time now);
  void barrier(Time now);                                        // all threads of the block have met
  void meet(std::uint32_t warp, std::uint32_t lanes, Time now);  // those of a warp have
  void fence(std::uint32_t warp, std::uint32_t lanes, FenceScope scope, Time now);

  // At a place where threads pass on what they know: all of it, or what their last fence has released.
  void tell(std::uint32_t thread, ThreadClock& told, Time now);
  void tell(std::uint32_t warp, std::uint32_t lanes, ThreadClock& told, Time now);
  void tell_released(std::uint32_t thread, ThreadClock& told, FenceScope scope, Time now);
  bool has_released(std::uint32_t thread, FenceScope scope) const;
  void hear(std::uint32_t thread, const ThreadClock& told, Time now);
  // What it read there is known after its next fence.
  void read(std::uint32_t thread, const ThreadClock& told, Time now);

  // Whether an access at that time by a thread of some block is ordered before what `thread` does now.
  struct Access {
    std::uint64_t block = 0;
    std::uint32_t thread = 0;
    Time time = 0;
    bool atomic = false;
  };
  bool knows(std::uint32_t thread, const Access& access) const;

  std::uint64_t number() const { return block_.number; }
  Time phase() const { return phase_; }  // since then no barrier
  Time synchronised(std::uint32_t warp) const { return warps_[warp].synchronised; }
  // Whether the thread has met others of its warp since then.
  bool met_since(std::uint32_t thread, Time time) const;

 private:
  using Known = std::shared_ptr<const ThreadClock>;
  struct Released {
    Known known;   // of others
    Time own = 0;  // of what the thread did itself
    bool operator==(const Released&) const = default;
  };
  struct Thread {
    Known known, read;
    std::array<Released, 2> released;   // by FenceScope
    const ThreadClock* last = nullptr;  // what it has heard last, and when
    Time heard = 0;
  };
  using Met = std::array<std::array<Time, kLanesPerWarp>, kLanesPerWarp>;  // by lane: what it knows of each
  struct Warp {
    Time synchronised = 0;     // all of its lanes
    std::unique_ptr<Met> met;  // some of them, since then
  };

  std::uint32_t lanes_of(std::uint32_t warp) const { return warp + 1 == block_.warps ? block_.last_mask : 0xffff'ffff; }
  const Thread& at(std::uint32_t thread) const { return threads_.empty() ? common_ : threads_[thread]; }
  Thread& own(std::uint32_t thread);
  void meet_some(Warp& warp, std::uint32_t lanes, Time now);
  void share(std::uint32_t warp, std::uint32_t lanes, Time now);
  void add_barriers(ThreadClock& clock, std::uint32_t thread, Time now) const;
  void add_released(ThreadClock& clock, std::uint32_t warp, std::uint32_t lanes, FenceScope scope, Time now) const;
  Known joined(const Known& known, const ThreadClock& told, Time now);

  Block block_;
  Time begun_ = 0, phase_ = 0;
  std::vector<Warp> warps_;
  Thread common_;                // what all threads know since the last barrier
  std::vector<Thread> threads_;  // empty: nothing more
  // The last clock that was put together, because lanes mostly hear the same.
  struct Joined {
    Known from, result;
    const ThreadClock* told = nullptr;
    Time changed = 0;
  } joined_;
};

}  // namespace xcuda::device::cpu
