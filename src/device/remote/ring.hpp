// The shared memory of a session and its device worker: a ring of posts with one writer and one reader, the flag that
// asks the worker to stop, and the place of its fault record.
//
// A record is 8 bytes (size of the payload, verb) and the payload, padded to 8 bytes. Records do not wrap: one of size
// 0 with verb kSkip fills the end. Positions count bytes since the start and never wrap in practice (64 bits).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/handle.hpp"
#include "base/shared_memory.hpp"
#include "device/fault_record.hpp"
#include "device/piece_request.hpp"
#include "device/remote/protocol.hpp"

namespace xcuda::device::remote {

constexpr std::uint64_t kRingBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kLargestPost = kRingBytes / 4;  // of a payload; what is larger goes through the channel

struct SharedArea {
  alignas(64) std::atomic<std::uint64_t> written;   // by the session
  alignas(64) std::atomic<std::uint64_t> read;      // by the worker
  alignas(64) std::atomic<std::uint32_t> sleeping;  // 1: the worker waits for the doorbell
  std::atomic<std::uint32_t> stop;                  // 1: launches that have not begun are skipped
  std::atomic<std::uint32_t> calls;                 // how many the session has begun to send through the channel
  alignas(64) std::atomic<std::uint64_t> fence;  // by the worker: twice the number of the last that was reached, and 1
                                                 // when a call must ask for more
  alignas(64) PieceRequest piece;
  alignas(64) FaultRecord fault;
  alignas(64) std::byte ring[kRingBytes];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// Both ends own a mapping of the same file.
class AreaMapping {
 public:
  explicit AreaMapping(const File& file);
  SharedArea* operator->() const { return area_; }
  SharedArea& operator*() const { return *area_; }

 private:
  SharedMapping mapping_;
  SharedArea* area_;
};
File make_shared_area();  // zero: nothing posted, nobody sleeping

// The session's end.
class RingWriter {
 public:
  explicit RingWriter(SharedArea& area) : area_(&area) {}
  // False when there is no room now. Rings the doorbell when the reader sleeps.
  bool try_post(Verb verb, std::span<const std::byte> payload, const File& doorbell);
  std::uint64_t position() const { return position_; }
  bool has_room();  // for the largest post
  void announce_call() { area_->calls.fetch_add(1, std::memory_order_release); }

 private:
  void put(std::uint64_t at, std::uint32_t size, std::uint32_t verb);

  SharedArea* area_;
  std::uint64_t position_ = 0;
  std::uint64_t read_seen_ = 0;  // the reader's position when last looked at
};

// The worker's end. The payload is copied out: what the other side writes meanwhile cannot change it.
class RingReader {
 public:
  explicit RingReader(SharedArea& area) : area_(&area) {}
  enum class Take : std::uint8_t { record, empty, broken };
  Take take(Verb& verb, std::vector<std::byte>& payload);
  std::uint64_t position() const { return position_; }
  bool is_empty() const { return area_->written.load(std::memory_order_acquire) == position_; }

  // Whether a call is in the channel or will be at once. Checking this is cheaper than checking the channel.
  bool call_announced() const { return area_->calls.load(std::memory_order_acquire) != calls_taken_; }
  void call_taken() { ++calls_taken_; }

  // Called before sleeping: from now on the doorbell rings for the next post; false if something was posted already.
  bool announce_sleep();
  void announce_waking();

 private:
  SharedArea* area_;
  std::uint64_t position_ = 0;
  std::uint32_t calls_taken_ = 0;
};

}  // namespace xcuda::device::remote
