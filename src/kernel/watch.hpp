// Events from outside the sockets: SIGINT, SIGTERM, SIGHUP, SIGXCPU, and the death of the client's process.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <thread>

#include "base/handle.hpp"

namespace xcuda::kernel {

// Called before the first thread starts: blocks the signals for all threads and ignores SIGPIPE. Whoever starts a
// process resets both there.
void prepare_signals();

// JPY_PARENT_PID, which a Jupyter client sets; nothing when it is not set or not a number.
std::optional<pid_t> parent_from_environment();

struct WatchCalls {
  std::function<void()> interrupt;  // SIGINT
  std::function<void()> leave;      // the other signals, the parent's end; called once
};

// A thread that takes them, from construction to destruction.
class Watch {
 public:
  Watch(std::optional<pid_t> parent, WatchCalls calls);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  void run();

  WatchCalls calls_;
  File signals_, parent_, stop_;
  std::thread thread_;
};

}  // namespace xcuda::kernel
