// The device's one order of work: what is posted runs on one thread, in the order of posting.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

#include "base/handle.hpp"
#include "device/device.hpp"

namespace xcuda::device::cpu {

class WorkQueue {
 public:
  // prepare runs first on the new thread.
  explicit WorkQueue(std::function<void()> prepare = {});
  ~WorkQueue();  // runs what was posted, then ends

  // An error that escapes the work is kept for rethrow().
  void post(std::function<void()> work);

  // Runs the function after all that was posted, and gives its value back or throws what it threw.
  template <class Function> auto call(Function&& function) {
    using Result = decltype(function());
    auto task = std::make_shared<std::packaged_task<Result()>>(std::forward<Function>(function));
    std::future<Result> result = task->get_future();
    push([task] { (*task)(); });
    return result.get();
  }

  enum class Wait : std::uint8_t { done, interrupted, time_limit };
  Wait wait(Interrupt* interrupt, std::optional<std::chrono::steady_clock::time_point> deadline);

  // Throws the first error of posted work since the last call, if there was one.
  void rethrow();

 private:
  void push(std::function<void()> work);
  void run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> work_;
  std::atomic<std::uint64_t> pending_{0};
  std::atomic<bool> waiting_{false};
  bool stop_ = false;
  File idle_;  // an eventfd, raised when nothing is left and somebody waits
  std::mutex error_mutex_;
  std::future<void> error_;
  std::function<void()> prepare_;
  std::thread thread_;
};

}  // namespace xcuda::device::cpu
