// Calls of host modules on the CPU device. They run on the thread that posts them, when all earlier posts are done:
// what their functions launch goes to the device's queue like any other work.
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
  // Gives what a host module launches the number of its call.
  LaunchRequest as_part_of_call(LaunchRequest request) const {
    if (running_ != 0) request.number = running_;
    return request;
  }

  // What a synchronisation reports. One within a call comes from the module's CUDA Runtime, which hears only of the
  // call; the session hears everything at its own next synchronisation.
  Completion tell(Completion completion);
  bool holds_fault() const { return running_ == 0 && held_.fault; }

 private:
  Outcomes& outcomes_;
  HostModules modules_;
  std::atomic<std::uint64_t> running_{0};  // the number of the call that runs; 0: none
  Completion held_;
};

}  // namespace xcuda::device::cpu
