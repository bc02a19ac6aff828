// The order of a program's device work: what is posted, to any stream, runs on one thread in the order of posting,
// which streams and events allow. So an event is a number, and a wait for another stream an item without work.
//
// A kernel may wait for what another stream does: a copy that sets its flag. So while a launch runs on and on, copies,
// fills and functions of the host that their streams allow to begin come before it, on a thread of their own.
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
#include "device/device.hpp"

namespace xcuda::runtime {

// A launch or other work, which begins when all earlier items have ended.
struct Item {
  using Number = std::uint64_t;  // of posted items, from 1

  std::optional<device::LaunchRequest> launch;
  std::function<void()> work;
  std::function<std::vector<Item>()> more;  // items that come before what was posted next
  int count = 1;                            // 0: this item came from `more`
  enum class Needs : std::uint8_t { device, host } needs = Needs::device;  // host: may run beside a launch, once
  std::vector<Number> after;                                               // these are done
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
  Number post(std::vector<Item> items);  // nothing gets between them
  void wait(Number number);
  void wait_for_all();
  bool done(Number number);
  bool ends();  // what waits for others is to give up
  bool is_own_thread() const {
    const auto here = std::this_thread::get_id();
    return here == worker_ || here == beside_id_;
  }

  // What ended the device, which every later call returns; cudaSuccess while it lives.
  cudaError_t failure() const { return failure_; }

 private:
  void run();
  void run_beside();    // a launch
  Item* next_beside();  // null: none may begin
  bool is_done(Number number) const;
  void tell(Number last);  // that all up to it are done
  void run_item(Item item);
  Number run_now(std::vector<Item> items);
  void finish_launches(Number last);
  void attempt(const std::function<void()>& work);
  void fail(cudaError_t error, const std::string& line);

  const bool lent_;  // the device is a session's
  std::unique_ptr<device::Device> own_device_;
  device::Device* device_;
  device::DeviceInfo info_;
  device::Checks checks_;  // of each launch
  std::atomic<cudaError_t> failure_{cudaSuccess};
  std::atomic<Number> done_{0};
  std::mutex mutex_;
  std::condition_variable wake_, told_, wake_beside_;
  std::deque<Item> items_;
  Number posted_ = 0;
  std::uint64_t launches_ = 0;
  bool stop_ = false;
  std::set<Number> done_beside_;                                      // after done_
  std::optional<std::chrono::steady_clock::time_point> waits_since_;  // for a launch
  bool runs_beside_ = false;
  std::recursive_mutex now_;  // of a lent device
  bool launched_ = false;     // what was not waited for yet
  std::atomic<std::thread::id> worker_, beside_id_;
  Interrupt interrupt_;  // raised at the end
  std::thread beside_;   // from the first item that may run there
  std::thread thread_;   // last: it uses all of the above
};

}  // namespace xcuda::runtime
