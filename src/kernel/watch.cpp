#include "kernel/watch.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "base/passing.hpp"

namespace xcuda::kernel {
namespace {

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGXCPU}) sigaddset(&set, signal);
  return set;
}

}  // namespace

void prepare_signals() {
  // A handler would break every wait of ZeroMQ with EINTR; a blocked signal is read from a descriptor instead.
  const auto set = watched_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);  // a client that closed our stderr
}

std::optional<pid_t> parent_from_environment() {
  const char* text = std::getenv("JPY_PARENT_PID");
  if (!text) return std::nullopt;
  const std::string_view view(text);
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), pid);
  if (error != std::errc() || end != view.data() + view.size() || pid <= 0) return std::nullopt;
  return pid;
}

Watch::Watch(std::optional<pid_t> parent, WatchCalls calls) : calls_(std::move(calls)) {
  const auto set = watched_signals();
  signals_.reset(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  stop_.reset(eventfd(0, EFD_CLOEXEC));
  if (!signals_ || !stop_) throw Error(ErrorKind::io, "cannot watch for signals").said(errno_text(errno));
  // Fails when the number means nothing here, for example from another machine or container: then nothing is watched.
  if (parent) parent_.reset(static_cast<int>(syscall(SYS_pidfd_open, *parent, 0)));
  thread_ = std::thread([this] { run(); });
}

Watch::~Watch() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(stop_.get(), &one, sizeof one);
  thread_.join();
}

void Watch::run() {
  // poll() passes over a descriptor of -1.
  std::array<pollfd, 3> files{{{stop_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}, {parent_.get(), POLLIN, 0}}};
  for (;;) {
    if (poll_once(files, -1) < 0) return;
    if (files[0].revents != 0) return;
    bool leave = files[2].revents != 0;
    signalfd_siginfo info{};
    while (read(signals_.get(), &info, sizeof info) == sizeof info) {
      if (info.ssi_signo == SIGXCPU)
        std::fputs("xcuda: reached the limit on processor time (ulimit -t): the kernel exits\n", stderr);
      if (info.ssi_signo == SIGINT)
        calls_.interrupt();
      else
        leave = true;
    }
    if (leave) {
      calls_.leave();
      return;
    }
  }
}

}  // namespace xcuda::kernel
