// Words of memory that all devices of a set map, one for each: a device writes to its own how many steps it has done,
// and others wait for that without the session.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "base/shared_memory.hpp"
#include "device/ids.hpp"

namespace xcuda::device {

struct SharedWord {
  // By its device, or by the session for a device that does not come to it.
  alignas(64) std::atomic<std::uint32_t> value;
  // By the session: 0; else the first value that the device does not come to, and a bit above it.
  std::atomic<std::uint64_t> lost;
};

class SharedWords {
 public:
  static constexpr std::uint64_t kBytes = kMostDevices * sizeof(SharedWord);
  static File make_file();  // zero; Error(memory)

  SharedWords() = default;
  explicit SharedWords(const File& file) : mapping_(file, kBytes) {}
  explicit operator bool() const { return static_cast<bool>(mapping_); }
  std::span<std::byte> bytes() const { return mapping_.bytes(); }

  std::uint32_t value(std::uint32_t word) const { return of(word).value.load(std::memory_order_acquire); }
  // Values go around: one of a distance below half of all is later.
  bool reached(std::uint32_t word, std::uint32_t wanted) const {
    return static_cast<std::int32_t>(value(word) - wanted) >= 0;
  }
  void write(std::uint32_t word, std::uint32_t value) const;  // and wakes whoever waits for it

  // What its device has not come to write up to this value will not come: who waits goes on, and can tell.
  void lose(std::uint32_t word, std::uint32_t up_to) const;
  bool lost(std::uint32_t word, std::uint32_t wanted) const;
  void forget_losses(std::uint32_t words = kMostDevices) const;  // of the first so many

  enum class Wait : std::uint8_t { reached, lost, stopped };
  // Sleeps until the word has this value or a later one; `stopped` is asked now and then.
  Wait wait(std::uint32_t word, std::uint32_t wanted, const std::function<bool()>& stopped) const;

 private:
  SharedWord& of(std::uint32_t word) const { return reinterpret_cast<SharedWord*>(mapping_.data())[word]; }

  SharedMapping mapping_;
};

}  // namespace xcuda::device
