// The user's interrupt: raised by the control thread or a signal, seen by whatever the cell waits in.
#pragma once

#include <atomic>

#include "base/handle.hpp"

namespace xcuda {

// Thread-safe. fd() is readable while an interrupt is pending, so that a wait can poll it beside its own descriptors.
class Interrupt {
 public:
  Interrupt();

  void raise();  // counts: a second one while the first is pending means "now"
  void clear();  // at the start of a cell
  bool raised() const { return count_.load() > 0; }
  int count() const { return count_.load(); }
  int fd() const { return event_.get(); }

  // Throws Error(interrupted) when raised; for loops that do not wait.
  void check() const;

 private:
  std::atomic<int> count_{0};
  File event_;
};

}  // namespace xcuda
