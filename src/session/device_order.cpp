#include "session/device_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace xcuda::session {

DeviceOrder::Use::Use(DeviceOrder& order, std::uint32_t device)
    : order_(order), before_(order.current_), chosen_before_(order.chosen_) {
  order_.current_ = device;
  order_.chosen_ = true;
}

DeviceOrder::Use::~Use() {
  order_.current_ = before_;
  order_.chosen_ = chosen_before_;
}

void DeviceOrder::begin(std::uint32_t devices) {
  devices_ = devices;
  given_.assign(devices, {});
  known_.assign(std::size_t{devices} * devices, 0);
  later_.clear();
  current_ = 0;
  chosen_ = in_step_ = false;
}

bool DeviceOrder::conflicts(std::uint32_t device, std::uint32_t other, const Range& range) {
  const auto& ranges = given_[other].ranges;
  const auto until = known(device, other);
  const auto end = range.begin + range.bytes;
  auto held = std::partition_point(ranges.begin(), ranges.end(), [&](const Held& h) { return h.end <= range.begin; });
  for (; held != ranges.end() && held->begin < end; ++held)
    if (held->wrote > until || (range.access == Range::Access::write && held->read > until)) return true;
  return false;
}

bool DeviceOrder::conflicts(std::uint32_t device, std::uint32_t other, std::span<const Range> ranges) {
  if (device == other || given_[other].last <= known(device, other)) return false;
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& range) { return range.bytes > 0 && conflicts(device, other, range); });
}

// What the other one has waited for is known then, too.
void DeviceOrder::learn(std::uint32_t device, std::uint32_t other) {
  for (std::uint32_t of = 0; of < devices_; ++of) known(device, of) = std::max(known(device, of), known(other, of));
  known(device, other) = given_[other].now++;
  waits_.push_back({device, other});
}

DeviceOrder::Waits DeviceOrder::before(std::uint32_t device, std::span<const Range> ranges, Heard heard) {
  waits_.clear();
  for (std::uint32_t other = 0; other < devices_; ++other)
    if (conflicts(device, other, ranges)) learn(device, other);
  auto& given = given_[device];
  given.last = given.now;
  for (const auto& range : ranges)
    if (in_step_ && heard == Heard::after_step)
      later_.emplace_back(device, range);
    else
      note(device, range);
  return waits_;
}

// All of them say how far they have come before the first one waits, so that nobody knows what others learn here.
DeviceOrder::Waits DeviceOrder::before(std::span<const Work> work) {
  waits_.clear();
  for (const auto& one : work)
    for (std::uint32_t other = 0; other < devices_; ++other)
      if (conflicts(one.device, other, one.ranges)) waits_.push_back({one.device, other});
  known_before_ = known_;
  for (const auto& [device, other] : waits_) {
    for (std::uint32_t of = 0; of < devices_; ++of)
      known(device, of) = std::max(known(device, of), known_before_[other * devices_ + of]);
    known(device, other) = given_[other].now;
  }
  for (const auto& wait : waits_) ++given_[wait.after].now;
  return waits_;
}

DeviceOrder::Waits DeviceOrder::before_all(std::uint32_t device) {
  waits_.clear();
  for (std::uint32_t other = 0; other < devices_; ++other)
    if (other != device && given_[other].last > known(device, other)) learn(device, other);
  return waits_;
}

void DeviceOrder::close_step() {
  in_step_ = false;
  for (const auto& [device, range] : later_) note(device, range);
  later_.clear();
}

void DeviceOrder::note(std::uint32_t device, const Range& range) {
  if (range.bytes == 0) return;
  auto& given = given_[device];
  auto& ranges = given.ranges;
  given.last = given.now;
  const auto begin = range.begin, end = range.begin + range.bytes;
  const bool writes = range.access == Range::Access::write;
  const auto first = std::partition_point(ranges.begin(), ranges.end(), [&](const Held& h) { return h.end <= begin; });
  if (first != ranges.end() && first->begin == begin && first->end == end) {  // as in a loop
    (writes ? first->wrote : first->read) = given.now;
    return;
  }
  // What a write covers is of no more interest; a read is noted beside it.
  cut_.clear();
  auto held = first;
  auto at = begin;  // up to where cut_ has it
  if (first != ranges.end() && first->begin < begin) cut_.push_back({first->begin, begin, first->wrote, first->read});
  for (; held != ranges.end() && held->begin < end; ++held) {
    if (writes) continue;
    if (at < held->begin) cut_.push_back({at, held->begin, 0, given.now});
    const auto from = std::max(held->begin, begin);
    at = std::min(held->end, end);
    cut_.push_back({from, at, held->wrote, given.now});
  }
  if (at < end) cut_.push_back({at, end, writes ? given.now : 0, writes ? 0 : given.now});
  if (held != first && std::prev(held)->end > end) {
    const auto& last = *std::prev(held);
    cut_.push_back({end, last.end, last.wrote, last.read});
  }
  const auto place = ranges.erase(first, held);
  ranges.insert(place, cut_.begin(), cut_.end());
}

void DeviceOrder::done() {
  for (auto& given : given_) {
    given.ranges.clear();
    given.last = 0;
  }
}

void DeviceOrder::forget_waits() { std::fill(known_.begin(), known_.end(), 0); }

std::string unknown_device(std::string_view number, std::uint32_t devices) {
  if (devices == 1) return fmt::format("unknown device {}: the session has one device, 0", number);
  return fmt::format("unknown device {}: the session has devices 0 to {}", number, devices - 1);
}

}  // namespace xcuda::session
