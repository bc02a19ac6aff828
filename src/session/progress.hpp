// One live line below a cell that takes longer than a second: what it does, how much of it is done, for how long, and
// how long the rest takes where its size is known. A thread of its own writes it, as the session's is busy, and empties
// it when the cell ends.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "session/sink.hpp"

namespace xcuda::session {

// Work of a known size: how much is done, since when it is counted.
struct Counted {
  std::uint64_t done = 0, total = 0;
  std::chrono::nanoseconds elapsed{0};
};
// How long the rest takes if it goes on as before. Nothing before a second has passed, or for a guess of days.
std::optional<std::chrono::seconds> time_left(const Counted& counted);
std::string clock_text(std::chrono::seconds time);                  // "12 s", "1:05 min", "2:30 h"
std::string progress_bar(std::uint64_t done, std::uint64_t total);  // "▕█████▌    ▏", of 20 characters

class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Begins for a sink that can be written while the cell runs (Sink::is_live); others are left alone.
  void begin(Sink& sink);
  void end();

  // The work that goes on from here to the end of the scope, unless counted work does.
  class Activity {
   public:
    Activity(Progress& progress, std::string what);
    ~Activity();
    Activity(const Activity&) = delete;
    Activity& operator=(const Activity&) = delete;

   private:
    Progress& progress_;
    bool said_ = false;
  };
  void tell(std::string_view what);  // what the device says that it does meanwhile; nothing when it only works
  enum class Unit : std::uint8_t { passes, runs, bytes };
  // Sets the count done and the total; total 0: unknown. From the thread that runs the cell.
  void count(Unit unit, std::uint64_t done, std::uint64_t total = 0);

 private:
  using Clock = std::chrono::steady_clock;
  std::string line() const;
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  Sink* sink_ = nullptr;  // of the cell that runs
  std::string what_, told_;
  Unit unit_ = Unit::passes;
  std::atomic<std::uint64_t> done_ = 0;
  std::uint64_t total_ = 0;
  Clock::time_point begun_, counted_since_;  // the cell; what done_ counts
  bool shown_ = false, leaving_ = false;
  std::thread thread_;
};

}  // namespace xcuda::session
