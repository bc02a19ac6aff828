// How long work may be under way on the device, in all: the host's own time does not count.
#pragma once

#include <chrono>
#include <optional>

namespace xcuda::session {

class TimeLimit {
 public:
  using Clock = std::chrono::steady_clock;

  void set(double seconds);  // from now on; 0: no limit. Each cell starts with that of %config timeout.
  double seconds() const { return seconds_; }
  void run();                                                              // something is under way
  void stop();                                                             // nothing is
  std::optional<Clock::time_point> deadline() const { return deadline_; }  // of what is under way

 private:
  double seconds_ = 0;
  Clock::duration left_{};  // before what is under way
  std::optional<Clock::time_point> deadline_;
};

}  // namespace xcuda::session
