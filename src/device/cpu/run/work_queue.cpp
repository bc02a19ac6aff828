#include "device/cpu/run/work_queue.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace xcuda::device::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// A short launch is over before a thread could be put to sleep and woken.
constexpr std::chrono::microseconds kSpinTime{20};

}  // namespace

WorkQueue::WorkQueue(std::function<void()> prepare)
    : idle_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), prepare_(std::move(prepare)) {
  if (!idle_) throw Error(ErrorKind::io, "the CPU device cannot create an event").said(errno_text(errno));
  thread_ = std::thread([this] { run(); });
}

WorkQueue::~WorkQueue() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void WorkQueue::push(std::function<void()> work) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = work_.empty();
    work_.push_back(std::move(work));
    ++pending_;
  }
  if (first) wake_.notify_one();
}

void WorkQueue::post(std::function<void()> work) {
  push([this, work = std::move(work)] {
    // The task carries an error to the thread that asks; nothing is caught here.
    bool finished = false;
    std::packaged_task<void()> task([&] {
      work();
      finished = true;
    });
    std::future<void> outcome = task.get_future();
    task();
    if (finished) return;
    const std::lock_guard lock(error_mutex_);
    if (!error_.valid()) error_ = std::move(outcome);
  });
}

void WorkQueue::rethrow() {
  std::future<void> error;
  {
    const std::lock_guard lock(error_mutex_);
    error = std::move(error_);
  }
  if (error.valid()) error.get();
}

void WorkQueue::run() {
  if (prepare_) prepare_();
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stop_ || !work_.empty(); });
    if (work_.empty()) return;
    std::function<void()> work = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    work();
    work = nullptr;  // what it held may be large, and goes before anybody is told
    if (--pending_ == 0 && waiting_.load()) {
      const std::uint64_t one = 1;
      [[maybe_unused]] const ssize_t written = write(idle_.get(), &one, sizeof one);
    }
    lock.lock();
  }
}

WorkQueue::Wait WorkQueue::wait(Interrupt* interrupt, std::optional<Clock::time_point> deadline) {
  const Clock::time_point spin_end = Clock::now() + kSpinTime;
  while (pending_.load() > 0 && Clock::now() < spin_end) std::this_thread::yield();
  waiting_.store(true);
  Wait answer = Wait::done;
  while (pending_.load() > 0) {
    if (interrupt && interrupt->raised()) {
      answer = Wait::interrupted;
      break;
    }
    int timeout = -1;
    if (deadline) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
      if (left <= 0) {
        answer = Wait::time_limit;
        break;
      }
      timeout = static_cast<int>(std::min<std::int64_t>(left, 60'000));
    }
    pollfd events[2] = {{idle_.get(), POLLIN, 0}, {interrupt ? interrupt->fd() : -1, POLLIN, 0}};
    poll(events, 2, timeout);
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t taken = read(idle_.get(), &count, sizeof count);
  }
  waiting_.store(false);
  return answer;
}

}  // namespace xcuda::device::cpu
