// The line to a device worker of this host: its process, the ring of posts, the staging buffer.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "base/worker.hpp"
#include "device/device.hpp"
#include "device/remote/codec.hpp"
#include "device/remote/line.hpp"
#include "device/remote/ring.hpp"

namespace xcuda::device::remote {

struct ConnectionRequest {
  WorkerOptions worker;
  Window window;
  WindowWish wish = WindowWish::any;
  const File* staging = nullptr;  // the memfd
  std::uint64_t staging_size = 0;
};

class Connection final : public Line {
 public:
  explicit Connection(const ConnectionRequest& request);  // does not wait for the worker; Error(io)

  Outcome call(Call call, const WaitRequest& limits) override;
  // Blocks only while the ring is full.
  void post(Verb verb, std::span<const std::byte> payload, const std::function<WaitRequest()>& limits) override;

  bool pass_fence() override;  // without the channel
  void rouse() override;       // posts the next fence without waiting for it

  bool begin_wait() override;
  bool reached_fence() const override { return area_->fence.load(std::memory_order_acquire) / 2 == fences_; }
  bool has_room() override { return ring_.has_room(); }
  Device::Look look() override;
  void close() override { worker_.close(); }

  void dismiss(std::chrono::milliseconds patience) override { worker_.dismiss(patience); }
  bool idles() override { return worker_.idles(); }
  pid_t pid() const override { return worker_.pid(); }

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
