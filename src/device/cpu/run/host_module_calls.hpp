// Calls of host modules on the CPU device. They run on the thread that posts them, when all that was posted before is
// done: what their functions launch goes to the device's queue like any other work.
#pragma once

#include <atomic>
#include <optional>
#include <span>

#include "device/cpu/run/outcomes.hpp"
#include "device/host_modules.hpp"

namespace xcuda::device::cpu {

class HostCalls {
 public:
  explicit HostCalls(Outcomes& outcomes) : outcomes_(outcomes) {}

  HostModules& modules() { return modules_; }
  void run(const HostCall& call, std::span<std::byte> staging);
  // What a host module launches has the number of its call.
  LaunchRequest as_part_of_call(LaunchRequest request) const {
    if (running_ != 0) request.number = running_;
    return request;
  }

  // What a synchronisation tells. One within a call is that of the module's CUDA Runtime, which hears of nothing but
  // the call; the session hears all of it at the next one of its own.
  Completion tell(Completion completion);
  bool holds_fault() const { return running_ == 0 && held_.fault; }

 private:
  Outcomes& outcomes_;
  HostModules modules_;
  std::atomic<std::uint64_t> running_{0};  // the number of the call that runs; 0: none
  Completion held_;
};

}  // namespace xcuda::device::cpu
