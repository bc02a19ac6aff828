// In a worker: the session's wish to stop, as an Interrupt that a device can look at or wait for.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/handle.hpp"
#include "base/interrupt.hpp"

namespace xcuda::device::remote {

// Never destroyed: its thread ends with the process.
class StopWatch {
 public:
  // wish: what the session writes, in shared memory; event: readable when it has.
  StopWatch(const std::atomic<std::uint32_t>& wish, File event);

  void begin();  // before a wait: forgets a wish of an earlier one
  Interrupt& interrupt() { return interrupt_; }

 private:
  void watch();

  const std::atomic<std::uint32_t>& wish_;
  File event_;
  std::mutex mutex_;
  Interrupt interrupt_;
};

}  // namespace xcuda::device::remote
