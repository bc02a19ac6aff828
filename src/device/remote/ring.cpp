#include "device/remote/ring.hpp"

#include <unistd.h>

#include <cstring>

namespace xcuda::device::remote {
namespace {

struct RecordHeader {
  std::uint32_t size = 0, verb = 0;
};
constexpr std::uint32_t kSkip = 0xFFFF'FFFF;
constexpr std::uint64_t kHeader = sizeof(RecordHeader);

constexpr std::uint64_t padded(std::uint64_t size) { return (size + 7) / 8 * 8; }

}  // namespace

File make_shared_area() { return make_memory_file("xcuda-posts", sizeof(SharedArea)); }

// The file is zero, and so are all atomics in it; lifetimes begin by placement without a change of bytes.
AreaMapping::AreaMapping(const File& file)
    : mapping_(file, sizeof(SharedArea)), area_(reinterpret_cast<SharedArea*>(mapping_.data())) {}

void RingWriter::put(std::uint64_t at, std::uint32_t size, std::uint32_t verb) {
  const RecordHeader header{size, verb};
  std::memcpy(area_->ring + at % kRingBytes, &header, sizeof header);
}

// A record that does not fit before the end of the ring takes up to as much again.
bool RingWriter::has_room() {
  constexpr auto kMost = 2 * (kHeader + kLargestPost);
  if (position_ + kMost - read_seen_ <= kRingBytes) return true;
  read_seen_ = area_->read.load(std::memory_order_acquire);
  return position_ + kMost - read_seen_ <= kRingBytes;
}

bool RingWriter::try_post(Verb verb, std::span<const std::byte> payload, const File& doorbell) {
  const auto size = kHeader + padded(payload.size());
  const auto to_end = kRingBytes - position_ % kRingBytes;
  const auto skipped = size > to_end ? to_end : 0;
  const auto fits = [&] { return position_ + skipped + size - read_seen_ <= kRingBytes; };
  if (!fits()) {
    read_seen_ = area_->read.load(std::memory_order_acquire);
    if (!fits()) return false;
  }
  if (skipped != 0) put(position_, 0, kSkip);
  position_ += skipped;
  put(position_, static_cast<std::uint32_t>(payload.size()), static_cast<std::uint32_t>(verb));
  if (!payload.empty()) std::memcpy(area_->ring + (position_ + kHeader) % kRingBytes, payload.data(), payload.size());
  position_ += size;
  // The order of this store and the load after it pairs with announce_sleep().
  area_->written.store(position_, std::memory_order_seq_cst);
  if (area_->sleeping.load(std::memory_order_seq_cst) != 0) {
    area_->sleeping.store(0, std::memory_order_relaxed);
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto rung = write(doorbell.get(), &one, sizeof one);
  }
  return true;
}

RingReader::Take RingReader::take(Verb& verb, std::vector<std::byte>& payload) {
  for (;;) {
    const auto available = area_->written.load(std::memory_order_acquire) - position_;
    if (available == 0) return Take::empty;
    const auto at = position_ % kRingBytes, to_end = kRingBytes - at;
    if (available > kRingBytes || available < kHeader) return Take::broken;
    RecordHeader header;
    std::memcpy(&header, area_->ring + at, sizeof header);
    if (header.verb == kSkip) {
      if (available < to_end) return Take::broken;
      position_ += to_end;
      area_->read.store(position_, std::memory_order_release);
      continue;
    }
    const auto size = kHeader + padded(header.size);
    if (header.verb >= kVerbs || size > available || size > to_end) return Take::broken;
    verb = static_cast<Verb>(header.verb);
    const auto* const start = area_->ring + at + kHeader;
    payload.assign(start, start + header.size);
    position_ += size;
    area_->read.store(position_, std::memory_order_release);
    return Take::record;
  }
}

bool RingReader::announce_sleep() {
  area_->sleeping.store(1, std::memory_order_seq_cst);
  if (area_->written.load(std::memory_order_seq_cst) == position_) return true;
  area_->sleeping.store(0, std::memory_order_relaxed);
  return false;
}

void RingReader::announce_waking() { area_->sleeping.store(0, std::memory_order_relaxed); }

}  // namespace xcuda::device::remote
