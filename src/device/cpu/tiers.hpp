// Quick code of a kernel, and the full code that takes its place.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "device/cpu/compile_jobs.hpp"
#include "device/cpu/jit/jit.hpp"
#include "device/cpu/jit/stored_kernel.hpp"

namespace xcuda::device::cpu {

struct LinkedKernel {
  std::string entry;
  KernelCode code;
  std::unique_ptr<Jit::Linked> object;
  NativeCode facts;
};

// Whether `full` may run blocks of a launch that was set up for `quick`: the launch, its frames and its messages need
// the same facts of both. Suspended blocks keep their registers where the code that began them put them.
bool may_take_over(const KernelCode& quick, const KernelCode& full);

// What the compile of the full code and the program share.
class FullCode {
 public:
  explicit FullCode(const KernelCode& quick) : quick_(quick) {}

  void publish(LinkedKernel kernel);  // by its compile, once
  // The full code; null until publish().
  const LinkedKernel* kernel() const { return ready_.load(std::memory_order_acquire) ? &*kernel_ : nullptr; }
  const std::atomic<const KernelCode*>& between_blocks() const { return between_blocks_; }

  std::atomic<bool> unwanted{false};
  std::shared_ptr<CompileJob> job;

 private:
  const KernelCode quick_;
  std::optional<LinkedKernel> kernel_;
  std::atomic<bool> ready_{false};
  std::atomic<const KernelCode*> between_blocks_{nullptr};
};

}  // namespace xcuda::device::cpu
