// Host data to and from a device, of any size, through the staging buffer: half of it is filled or emptied while the
// other half is on its way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/interrupt.hpp"
#include "device/device.hpp"

namespace xcuda::device {

// Bytes on the device: rows of `width` bytes, `pitch` bytes apart. One row is a plain range.
struct Region {
  Address address = 0;
  std::uint64_t width = 0;
  std::uint64_t height = 1, pitch = 0;
  std::uint64_t bytes() const { return width * height; }
};

// `wait` synchronises the device and ends the transfer by an Error when something went wrong; without it a fault or a
// refused request is an Error(device) that names it.
struct TransferParts {
  std::function<void()> wait;
  const Interrupt* interrupt = nullptr;                        // looked at between pieces: Error(interrupted)
  std::function<void(std::uint64_t, std::uint64_t)> progress;  // bytes done, of how many
};

class Transfer {
 public:
  explicit Transfer(Device& device, TransferParts parts = {});

  // Rows are packed on the host's side. The copies run on the default stream, after what was posted before; no request
  // that uses the staging buffer may be under way.
  void read(const Region& from, std::span<std::byte> to);
  void write(const Region& to, std::span<const std::byte> from);

  // Transfers without the whole on the host: pieces in order, each only valid during the call.
  void read(const Region& from, const std::function<void(std::span<const std::byte>)>& take);
  void write(const Region& to, const std::function<void(std::span<std::byte>)>& give);

 private:
  struct Piece {
    std::uint64_t row = 0, column = 0;    // where it begins
    std::uint64_t width = 0, height = 1;  // a rectangle, or part of one row
    std::uint64_t bytes() const { return width * height; }
  };
  Piece piece_at(const Region& region, std::uint64_t done) const;
  std::uint64_t half() const;
  void wait();

  Device& device_;
  TransferParts parts_;
};

}  // namespace xcuda::device
