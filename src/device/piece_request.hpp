// How a device asks its session for a piece of memory that it mirrors: from a signal handler, in the middle of the
// first access. Plain data in shared memory, one request at a time.
#pragma once

#include <atomic>
#include <cstdint>

#include "device/fault.hpp"
#include "device/ids.hpp"

namespace xcuda::device {

constexpr std::uint64_t kMirrorPiece = std::uint64_t{2} << 20;  // bytes, at multiples of them

// What may be done with a piece.
enum class Touch : std::uint8_t { refused, read, write };

struct PieceRequest {
  enum State : std::uint32_t { none, asked, answered };
  std::atomic<std::uint32_t> taken{0};     // 1: a thread asks
  std::atomic<std::uint32_t> state{none};  // a futex of the thread that asks
  Address piece = 0;
  Access access = Access::unknown;  // unknown where the processor does not say
  Touch answer = Touch::refused;
};

// Where a device asks: the request, and a descriptor that wakes the session.
struct PieceDoor {
  PieceRequest* request = nullptr;  // null: pieces cannot be asked for
  int bell = -1;
};

}  // namespace xcuda::device
