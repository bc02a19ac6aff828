// Interrupts a cell that takes longer than it may (%config duration).
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <mutex>
#include <optional>

#include "base/interrupt.hpp"
#include "display/error_report.hpp"

namespace xcuda::session {

class CellClock {
 public:
  CellClock(Interrupt& interrupt, double seconds) : interrupt_(interrupt), seconds_(seconds) {}
  ~CellClock() { stop(); }
  CellClock(const CellClock&) = delete;
  CellClock& operator=(const CellClock&) = delete;

  void start();                                    // nothing when the seconds are 0; Errors: io
  bool stop();                                     // whether the time was over, and the interrupt raised
  void explain(display::ErrorView& failed) const;  // why it was interrupted, and what to do

 private:
  void run();

  Interrupt& interrupt_;
  const double seconds_;
  std::mutex mutex_;
  std::condition_variable stopping_;
  bool stop_ = false, over_ = false;
  std::optional<pthread_t> thread_;
};

}  // namespace xcuda::session
