// One launch while it runs: what the services find behind the `runtime` pointers of the ABI.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>

#include "device/cpu/address_space.hpp"
#include "device/cpu/ordered_output.hpp"
#include "device/cpu/translator.hpp"

namespace xcuda::device::cpu {

struct LaunchParts {
  const LaunchRequest& request;
  const KernelCode& code;
  AddressSpace& space;
  OrderedOutput& output;
  const TextSink& error_output;   // stderr
  const std::atomic<bool>& stop;  // the user's interrupt: no further blocks
};

struct LaunchState : LaunchParts {
  explicit LaunchState(const LaunchParts& parts) : LaunchParts(parts) {}

  Launch abi{};
  alignas(64) std::array<std::uint32_t, 16> grid_workspace{};  // of cooperative launches: where grid.sync() counts

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

// One pool thread in it: BlockFrame::runtime.
struct ThreadState {
  std::uint64_t run_begin = 0;  // first block, in linear order, of the run at hand
  std::string text;             // printed by it so far
};

// Service::directed_f64.
std::uint32_t directed_f64(BlockFrame* frame, LaneCall* call);

// The table for Launch::services.
std::array<ServiceFunction, static_cast<std::size_t>(Service::count)> services();

// A fault in the block of the frame: kernel, launch and block are filled in.
Fault fault_in(const BlockFrame& frame, FaultKind kind);

}  // namespace xcuda::device::cpu
