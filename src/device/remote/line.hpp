// The session's end of one device worker, whatever carries the verbs to it. A loss is a value here.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/handle.hpp"
#include "device/device.hpp"
#include "device/remote/protocol.hpp"

namespace xcuda::device::remote {

enum class WindowWish : std::uint8_t { any, same };  // same: the session's arrays have their place already

class Line {
 public:
  virtual ~Line() = default;
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  struct Answer {
    std::vector<std::byte> value;
    std::vector<File> files;
  };
  // What is known when the process is gone; its fault is always set.
  struct Loss {
    Completion completion;
    std::string last_words;
  };
  using Outcome = std::variant<Answer, Error, Loss>;

  struct Call {
    Verb verb;
    std::span<const std::byte> arguments;
    std::vector<File> files;
  };
  virtual Outcome call(Call call, const WaitRequest& limits) = 0;
  // Drops a post when the worker is gone or was stopped; the next call reports it.
  virtual void post(Verb verb, std::span<const std::byte> payload, const std::function<WaitRequest()>& limits) = 0;

  // Waits for all posts as long as a call spins, without a call. False: not done by then, or the worker has something
  // to report, and Verb::synchronize has to be called.
  virtual bool pass_fence() { return false; }
  // Makes a sleeping worker awake for the next request.
  virtual void rouse() {}

  // For a wait for several workers: whether a fence is posted after all else, for which there may be no room now;
  // whether it was reached; and whether a post would find room.
  virtual bool begin_wait() { return true; }
  virtual bool reached_fence() const { return true; }
  virtual bool has_room() { return true; }
  // Passes on what the worker has printed, and looks whether it ends.
  virtual Device::Look look() { return {}; }
  virtual void close() {}  // begins what dismiss() waits for

  virtual void dismiss(std::chrono::milliseconds patience) = 0;
  virtual bool idles() { return false; }
  virtual pid_t pid() const = 0;  // 0 where it is not a process of this host

 protected:
  Line() = default;
};

}  // namespace xcuda::device::remote
