// Whether a launch gets on or only waits: all of its blocks have given way to others, and none has ended since.
#pragma once

#include <atomic>
#include <chrono>

namespace xcuda::device::cpu {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  bool rests_for(Clock::duration time) const { return working_ == 0 && Clock::now() - since_.load() >= time; }

  // A thread that works for the launch; of a launch without a pace nobody asks.
  class Worker {
   public:
    explicit Worker(Pace* pace) : pace_(pace) { begin(); }
    ~Worker() {
      if (works_) end();
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    Pace* pace() const { return pace_; }
    void rest() {
      if (works_) end();
    }
    void get_on() {
      if (!works_) begin();
    }

   private:
    void begin() {
      works_ = true;
      if (pace_ != nullptr) ++pace_->working_;
    }
    void end() {
      works_ = false;
      if (pace_ != nullptr && --pace_->working_ == 0) pace_->since_ = Clock::now();
    }

    Pace* pace_;
    bool works_ = false;
  };

 private:
  std::atomic<int> working_{0};
  std::atomic<Clock::time_point> since_{Clock::now()};
};

}  // namespace xcuda::device::cpu
