// The threads that run blocks. The caller is one of them; the others sleep until there is work for more than one.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace xcuda::device::cpu {

class ThreadPool {
 public:
  // prepare runs first on each new thread.
  ThreadPool(int threads, std::function<void()> prepare = {});
  ~ThreadPool();

  int threads() const { return static_cast<int>(helpers_.size()) + 1; }

  // Offers a job to the helpers: each calls it once, with its number from 1. Returns at once.
  void offer(const std::function<void(int)>& job);
  // Takes the offer back and waits for the helpers that took it. The job must see by itself that no work is left.
  void finish();

 private:
  void help(int number);

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(int)>* job_ = nullptr;
  std::uint64_t round_ = 0;  // rises with each offer
  int active_ = 0;
  bool stop_ = false;
  std::function<void()> prepare_;
  std::vector<std::thread> helpers_;
};

}  // namespace xcuda::device::cpu
