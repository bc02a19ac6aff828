// What becomes of posted work: the next synchronize() reports it. One thread works; any may ask or end.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "device/fault_record.hpp"

namespace xcuda::device::cpu {

class Outcomes {
 public:
  explicit Outcomes(FaultRecord* record) : record_(record) {}

  void refuse(RefusedLaunch refused) {
    const std::lock_guard lock(mutex_);
    completion_.refused.push_back(std::move(refused));
  }
  Completion so_far() {
    const std::lock_guard lock(mutex_);
    return completion_;
  }
  void timed(std::uint64_t number, Nanoseconds duration) {
    const std::lock_guard lock(mutex_);
    completion_.timings.push_back({number, duration});
  }
  void counted(std::uint64_t number, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    completion_.timings.push_back({number, 0, bytes});
  }
  void reported(library::Report report) {
    const std::lock_guard lock(mutex_);
    completion_.reports.push_back(std::move(report));
  }
  // Whether an interrupt, or the loss of what it waits for, came before this launch.
  bool skipped(std::uint64_t number) {
    if (!skip_ && !gave_up_) return false;
    left_out_ = true;
    const std::lock_guard lock(mutex_);
    completion_.skipped.push_back(number);
    return true;
  }

  // The first fault ends the device.
  void end(Fault fault) {
    const std::lock_guard lock(mutex_);
    if (ended_.exchange(true)) return;
    // The record has it should the process be ended before anybody asks.
    if (record_) write_fault(*record_, fault);
    completion_.fault = std::move(fault);
  }
  bool ended() const { return ended_; }
  // Notes that the launch that runs did not end by itself.
  void end_running(FaultKind kind, std::string message) { end(stopped(kind, running_, std::move(message))); }
  static Fault stopped(FaultKind kind, std::uint64_t launch, std::string message) {
    Fault fault;
    fault.kind = kind;
    fault.message = std::move(message);
    if (launch) fault.launches = {launch};
    return fault;
  }

  Completion take() {
    gave_up_ = left_out_ = false;
    const std::lock_guard lock(mutex_);
    return std::exchange(completion_, {});
  }
  // The report, when posted work has ended the device and no synchronize() has told it.
  std::optional<Completion> take_end() {
    const std::lock_guard lock(mutex_);
    if (!completion_.fault) return std::nullopt;
    return std::exchange(completion_, {});
  }

  void give_up() { gave_up_ = left_out_ = true; }  // waiting for another device: what follows is left out
  bool gave_up() const { return gave_up_; }
  bool left_out() const { return left_out_; }  // something, since the last take()

  void skip_launches() { skip_ = true; }  // that have not begun
  void cut_launches() { cut_ = true; }    // that run, between blocks
  void go_on() { skip_ = cut_ = false; }
  const std::atomic<bool>& cut() const { return cut_; }
  bool stopping() const { return skip_ || cut_ || ended_; }

  void running(std::uint64_t launch) {  // 0: none
    running_ = launch;
    if (record_) record_->running = launch;
  }
  void doing(std::string_view what) {  // before it can run or answer; nothing when it can
    if (record_) record_->doing.set(what);
  }

 private:
  FaultRecord* record_;
  std::mutex mutex_;
  Completion completion_;
  std::atomic<bool> ended_{false}, skip_{false}, cut_{false}, gave_up_{false}, left_out_{false};
  std::atomic<std::uint64_t> running_{0};
};

}  // namespace xcuda::device::cpu
