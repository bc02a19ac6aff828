#include "kernel/turns.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "base/error.hpp"

namespace xcuda::kernel {

Turns::Turns(void* socket, Receive receive)
    : socket_(socket), receive_(std::move(receive)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_) throw Error(ErrorKind::io, "cannot create an eventfd").said(errno_text(errno));
}

Turns::~Turns() {
  stop();
  join();
}

void Turns::start() {
  const std::lock_guard lock(mutex_);
  if (!thread_.joinable() && !stopping_) thread_ = std::thread([this] { run(); });
}

void Turns::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(wake_.get(), &one, sizeof one);
}

void Turns::join() {
  if (thread_.joinable()) thread_.join();
}

void Turns::give() {
  {
    const std::lock_guard lock(mutex_);
    holder_ = Holder::nobody;
  }
  changed_.notify_all();
}

void Turns::take() {
  std::unique_lock lock(mutex_);
  if (holder_ == Holder::beside) {
    wanted_ = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(wake_.get(), &one, sizeof one);
    changed_.wait(lock, [this] { return holder_ != Holder::beside; });
    wanted_ = false;
  }
  holder_ = Holder::main;
}

bool Turns::is_wanted() {
  const std::lock_guard lock(mutex_);
  return wanted_ || stopping_;
}

void Turns::run() {
  const auto enough = [this] { return is_wanted(); };
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || (holder_ == Holder::nobody && !wanted_); });
      if (stopping_) return;
      holder_ = Holder::beside;
    }
    std::array items{zmq_pollitem_t{socket_, 0, ZMQ_POLLIN, 0}, zmq_pollitem_t{nullptr, wake_.get(), ZMQ_POLLIN, 0}};
    while (!enough()) {
      receive_(enough);
      if (!enough()) zmq_poll(items.data(), static_cast<int>(items.size()), -1);
    }
    {
      const std::lock_guard lock(mutex_);
      std::uint64_t count = 0;
      [[maybe_unused]] const auto got = read(wake_.get(), &count, sizeof count);
      holder_ = Holder::nobody;
    }
    changed_.notify_all();
  }
}

}  // namespace xcuda::kernel
