// The order of a program's device work: what is posted, to any stream, runs on one thread in the order of posting,
// which streams and events allow. So an event is a number, and a wait for another stream an item without work.
//
// A kernel may wait for what another stream does: a copy, or another kernel, that sets its flag. So while a launch runs
// on and on, copies, fills, calls of libraries and functions of the host that their streams allow to begin come before
// it, one after another on a thread of their own; and while launches leave threads without work, because they wait or
// have few blocks, other launches do.
//
// In a host module of a session the order is that of the session's device: what is posted begins at once, on the thread
// that posts it, so that what the session posts next comes after it.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "base/interrupt.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/device.hpp"

namespace xcuda::runtime {

// A launch or other work, which begins when all earlier items have ended, or beside a launch that runs, when those of
// `after` have.
struct Item {
  using Number = std::uint64_t;  // of posted items, from 1

  std::optional<device::LaunchRequest> launch;
  std::function<void()> work;
  std::function<std::vector<Item>()> more;  // items that come before what was posted next
  int count = 1;                            // 0: this item came from `more`
  enum class Needs : std::uint8_t { device, host } needs = Needs::device;  // host: may run beside a launch, once
  std::vector<std::size_t> follows;                                        // the places of what it was posted with
  std::vector<Number> after;                                               // these are done; empty: all before it
  Number number = 0;                                                       // while it waits
  bool begun = false;                                                      // beside a launch
};

class Engine {
 public:
  using Number = Item::Number;

  Engine();
  ~Engine();  // what has not begun is dropped, and a launch that runs is cut after the blocks that run now
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  device::Device& device() { return *device_; }
  const device::DeviceInfo& info() const { return info_; }

  Number post(Item item);
  // Nothing gets between them. What follows none of the others waits for what the first one waits for.
  Number post(std::vector<Item> items);
  void wait_for_room();  // for a launch, as a GPU that has taken many
  void wait(Number number);
  void wait_for_all();
  bool done(Number number);
  bool ends();                  // what waits for others is to give up
  static bool is_own_thread();  // on which what was posted runs

  // What ended the device, which every later call returns; cudaSuccess while it lives.
  cudaError_t failure() const { return failure_; }
  cudaError_t wait_for_failure();  // for one that the device has refused a call for, before anybody asked why it ended

 private:
  void run();
  using Lock = std::unique_lock<std::mutex>;
  bool pass_begun(Lock& lock);  // the first item, which began beside; false: at the end
  void wait_for_begun(Lock& lock, const std::function<bool()>& done);
  void note_ended();  // of posted launches
  void run_beside();  // what may begin beside launches
  enum class With : std::uint8_t { launches, no_launches };
  Item* next_beside(With with);  // null: none may begin
  void begin_beside(Item& item, Lock& lock);
  bool is_done(Number number) const;
  void tell(Number last);  // that all up to it are done
  void run_item(Item item);
  Number run_now(std::vector<Item> items);
  void finish_launches(Number last);
  void launch(device::LaunchRequest& request);
  void report(const device::Completion& completion);
  void attempt(const std::function<void()>& work);
  void fail(cudaError_t error, const std::string& line);  // the first one counts

  const bool lent_;  // the device is a session's
  std::unique_ptr<device::Device> own_device_;
  device::Device* device_;
  device::DeviceInfo info_;
  device::cpu::Beside* device_beside_;  // null: a session's device
  device::Checks checks_;               // of each launch
  std::atomic<cudaError_t> failure_{cudaSuccess};
  std::mutex failing_;
  std::atomic<Number> done_{0};
  std::mutex mutex_;
  std::condition_variable wake_, told_, wake_beside_;
  std::deque<Item> items_, posted_launches_;  // the latter to the device, and not told yet
  Number posted_ = 0;
  std::atomic<std::uint64_t> launches_{0};
  bool stop_ = false;
  std::set<Number> done_beside_;                                      // after done_
  std::optional<std::chrono::steady_clock::time_point> waits_since_;  // for a launch
  bool runs_beside_ = false;                                          // work of the host
  int launches_beside_ = 0, idle_beside_ = 0;                         // threads
  std::recursive_mutex now_;                                          // of a lent device
  bool launched_ = false;                                             // what was not waited for yet
  Interrupt interrupt_;                                               // raised at the end
  std::vector<std::thread> beside_;                                   // as many as are busy at once, and one more
  std::thread thread_;                                                // last: it uses all of the above
};

}  // namespace xcuda::runtime
