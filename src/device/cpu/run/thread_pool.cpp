#include "device/cpu/run/thread_pool.hpp"

namespace xcuda::device::cpu {

ThreadPool::ThreadPool(int threads, std::function<void()> prepare) : prepare_(std::move(prepare)) {
  for (int i = 1; i < threads; ++i) helpers_.emplace_back([this, i] { help(i); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void ThreadPool::offer(const std::function<void(int)>& job) {
  if (helpers_.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    ++round_;
  }
  wake_.notify_all();
}

void ThreadPool::finish() {
  if (helpers_.empty()) return;
  std::unique_lock lock(mutex_);
  job_ = nullptr;
  done_.wait(lock, [&] { return active_ == 0; });
}

void ThreadPool::help(int number) {
  if (prepare_) prepare_();
  std::unique_lock lock(mutex_);
  std::uint64_t seen = 0;
  while (true) {
    wake_.wait(lock, [&] { return stop_ || (job_ && round_ != seen); });
    if (stop_) return;
    seen = round_;
    const std::function<void(int)>& job = *job_;
    ++active_;
    lock.unlock();
    job(number);
    lock.lock();
    if (--active_ == 0) done_.notify_one();
  }
}

}  // namespace xcuda::device::cpu
