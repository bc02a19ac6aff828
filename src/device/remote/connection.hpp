// The session's end of one device worker: its process, the ring of posts, the staging buffer. A loss is a value here.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/worker.hpp"
#include "device/device.hpp"
#include "device/remote/codec.hpp"
#include "device/remote/ring.hpp"

namespace xcuda::device::remote {

enum class WindowWish : std::uint8_t { any, same };  // same: the session's arrays have their place already

struct ConnectionRequest {
  WorkerOptions worker;
  Window window;
  WindowWish wish = WindowWish::any;
  const File* staging = nullptr;  // the memfd
  std::uint64_t staging_size = 0;
};

class Connection {
 public:
  explicit Connection(const ConnectionRequest& request);  // does not wait for the worker; Error(io)

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
  Outcome call(Call call, const WaitRequest& limits);
  // Blocks only while the ring is full. Drops a post when the worker is gone or was stopped; the next call reports it.
  void post(Verb verb, std::span<const std::byte> payload, const std::function<WaitRequest()>& limits);

  // Waits for all posts as long as a call spins, without the channel. False: not done by then, or the worker has
  // something to report, and Verb::synchronize has to be called.
  bool pass_fence();
  // Posts the next fence without waiting for it, so that a sleeping worker is awake for the next request.
  void rouse();
  // For a wait for several workers: whether a fence is posted after all else, for which there may be no room now; and
  // whether it was reached.
  bool begin_wait();
  bool reached_fence() const { return area_->fence.load(std::memory_order_acquire) / 2 == fences_; }
  bool has_room() { return ring_.has_room(); }
  // Passes on what the worker has printed, and looks whether it ends.
  Device::Look look();
  void close() { worker_.close(); }

  void dismiss(std::chrono::milliseconds patience) { worker_.dismiss(patience); }
  void kill() { worker_.kill(); }
  void drain() { worker_.drain(); }
  bool idles() { return worker_.idles(); }
  pid_t pid() const { return worker_.pid(); }

 private:
  void serve_piece(const std::function<Touch(Address, Access)>& fetch);
  bool wait_for_room(Verb verb, std::span<const std::byte> payload, const WaitRequest& limits);
  void ask_to_stop();
  Loss describe_loss(WorkerLost lost);

  File area_file_;
  AreaMapping area_;
  RingWriter ring_;
  File doorbell_, stop_event_, piece_bell_;
  std::chrono::microseconds spin_;
  bool post_fence();

  std::uint64_t fences_ = 0;  // posted so far
  bool roused_ = false;       // nothing was posted since the last of them
  Worker worker_;
  std::optional<FaultKind> killed_for_;  // while a post waited for room
};

}  // namespace xcuda::device::remote
