#include "device/remote/stop_watch.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <thread>
#include <utility>

#include "base/passing.hpp"

namespace xcuda::device::remote {

StopWatch::StopWatch(const std::atomic<std::uint32_t>& wish, File event) : wish_(wish), event_(std::move(event)) {
  std::thread([this] { watch(); }).detach();
}

void StopWatch::begin() {
  const std::lock_guard lock(mutex_);
  if (wish_.load() == 0) interrupt_.clear();
}

void StopWatch::watch() {
  pollfd item{event_.get(), POLLIN, 0};
  for (;;) {
    poll_once({&item, 1}, -1);
    std::uint64_t value = 0;
    if (read(event_.get(), &value, sizeof value) < 0 && errno != EAGAIN && !passes(errno)) return;
    // Under the lock, so that a late look at the wish cannot raise what begin() has just cleared.
    const std::lock_guard lock(mutex_);
    if (wish_.load() != 0) interrupt_.raise();
  }
}

}  // namespace xcuda::device::remote
