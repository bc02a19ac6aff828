// One launch while it runs: what the services find at the `runtime` pointers of the ABI.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>

#include "device/cpu/abi/kernel_code.hpp"
#include "device/cpu/memory/address_space.hpp"
#include "device/cpu/run/child_grids.hpp"
#include "device/cpu/run/ordered_output.hpp"
#include "device/cpu/run/pace.hpp"
#include "device/cpu/watch/access_counter.hpp"
#include "device/cpu/watch/access_recorder.hpp"

namespace xcuda::device::cpu {

// What a service answers compiled code.
constexpr std::uint32_t kGoOn = 0, kLeave = 1;

class LoadedModule;

struct LaunchParts {
  const LaunchRequest& request;
  const KernelCode& code;
  AddressSpace& space;
  OrderedOutput& output;
  const TextSink& error_output;           // stderr
  const std::atomic<bool>& stop;          // the user's interrupt: no further blocks
  Pace::Worker& worker;                   // of the thread that runs the launch
  const LoadedModule* program = nullptr;  // whose kernels its kernel can launch
};

struct LaunchState : LaunchParts {
  explicit LaunchState(const LaunchParts& parts) : LaunchParts(parts) {}

  LaunchAbi abi{};
  alignas(64) std::array<std::uint32_t, 16> grid_workspace{};  // of cooperative launches: where grid.sync() counts
  std::optional<AccessRecorder> recorder;                      // for --race and --init
  std::optional<AccessCounter> counter;                        // for Timing::counted
  ChildGrids children;
  bool blocks_take_turns() const { return recorder || counter; }

  // The first fault wins; the others only end their thread.
  void report(Fault fault) {
    const std::lock_guard lock(mutex_);
    if (!fault_) fault_ = std::move(fault);
    left_ = true;
  }
  bool left() const { return left_.load(std::memory_order_relaxed); }
  std::optional<Fault> fault() {
    const std::lock_guard lock(mutex_);
    return fault_;
  }

 private:
  std::mutex mutex_;
  std::optional<Fault> fault_;
  std::atomic<bool> left_{false};
};

// The state of one pool thread in a launch: BlockFrame::runtime.
struct ThreadState {
  std::uint64_t run_begin = 0;     // first block, in linear order, of the run at hand
  std::string text;                // printed by it so far
  std::vector<Address> mbarriers;  // of a block that may wait, initialised so far
};

// The fault of a block whose threads all wait at mbarriers that no other thread completes.
Fault stuck_fault(const BlockFrame& frame);
std::uint32_t mbarrier_made(BlockFrame* frame, LaneCall* call);
std::uint32_t warp_stuck(BlockFrame* frame, LaneCall* call);

// Service::directed_f64.
std::uint32_t directed_f64(BlockFrame* frame, LaneCall* call);

// Service::matrix.
std::uint32_t matrix(BlockFrame* frame, LaneCall* call);

// Service::runtime.
std::uint32_t runtime(BlockFrame* frame, LaneCall* call);

// Service::texture.
std::uint32_t texture(BlockFrame* frame, LaneCall* call);

// Where a service may read or write; null when it may not, and the fault is reported.
struct Reach {
  std::uint64_t address = 0, bytes = 0;
  bool shared = false;  // the address is an offset in shared memory
  bool writes = false;
};
std::byte* reach(BlockFrame* frame, LaneCall* call, const Reach& wanted);

// The functions for LaunchAbi::check, record and mark.
std::uint32_t check_lanes(BlockFrame*, LaneCall* call, const CheckedAccesses*, std::uint32_t mask, std::uint32_t warp);
std::uint32_t record_lanes(BlockFrame*, LaneCall* call, const CheckedAccesses*, std::uint32_t mask, std::uint32_t warp);
std::uint32_t mark_row(BlockFrame*, const MarkedRow*, std::uint64_t* writes, std::uint64_t* reads, std::uint32_t warp);

// The table for LaunchAbi::services.
std::array<ServiceFunction, static_cast<std::size_t>(Service::count)> services();

// A fault in the block of the frame: kernel, launch and block are filled in.
Fault fault_in(const BlockFrame& frame, FaultKind kind);
// A fault of one lane at the site of a call.
Fault lane_fault(const BlockFrame& frame, const LaneCall& call, std::uint32_t lane, FaultKind kind);

LaunchState& state_of(const BlockFrame* frame);
Dim3 thread_index(const BlockFrame& frame, std::uint32_t linear);

// The services of --race and --init; see record_services.cpp.
std::uint32_t record_phase(BlockFrame* frame, LaneCall* call);
std::uint32_t record_arrival(BlockFrame* frame, LaneCall* call);
std::uint32_t record_suspended(BlockFrame* frame, LaneCall* call);
std::uint32_t record_warp_synchronised(BlockFrame* frame, LaneCall* call);
std::uint32_t record_fence(BlockFrame* frame, LaneCall* call);
std::uint32_t record_copy(BlockFrame* frame, LaneCall* call);
std::uint32_t record_close_copies(BlockFrame* frame, LaneCall* call);
std::uint32_t record_wait_copies(BlockFrame* frame, LaneCall* call);
std::uint32_t record_arrived(BlockFrame* frame, LaneCall* call);
std::uint32_t record_waited(BlockFrame* frame, LaneCall* call);
std::uint32_t missing_lane(BlockFrame* frame, LaneCall* call);
// Records, for --race and --init, what another service does to memory.
std::uint32_t record_touch(BlockFrame* frame, LaneCall* call, const AccessRecorder::Touch& touch);

}  // namespace xcuda::device::cpu
