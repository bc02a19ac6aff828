// How many threads work for a launch: those whose blocks have all given way to others do not.
#pragma once

#include <atomic>
#include <chrono>

namespace xcuda::device::cpu {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  int working() const { return working_; }
  bool steady_for(Clock::duration time) const { return Clock::now() - since_.load() >= time; }  // as many as now

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
      if (pace_ != nullptr) pace_->change(1);
    }
    void end() {
      works_ = false;
      if (pace_ != nullptr) pace_->change(-1);
    }

    Pace* pace_;
    bool works_ = false;
  };

 private:
  void change(int by) {
    since_ = Clock::now();
    working_ += by;
  }

  std::atomic<int> working_{0};
  std::atomic<Clock::time_point> since_{Clock::time_point::max()};  // its code may still be compiled
};

}  // namespace xcuda::device::cpu
