#include "session/device_order.hpp"

#include <fmt/format.h>

#include <bit>
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
  done();
  devices_ = devices;
  current_ = 0;
  chosen_ = in_step_ = false;
}

std::vector<std::uint32_t> DeviceOrder::numbers(Mask mask) {
  std::vector<std::uint32_t> list;
  for (; mask != 0; mask &= mask - 1) list.push_back(static_cast<std::uint32_t>(std::countr_zero(mask)));
  return list;
}

DeviceOrder::Mask DeviceOrder::holders(const Range& range) const {
  Mask mask = 0;
  if (range.bytes == 0) return mask;
  const auto end = range.begin + range.bytes;
  auto held = held_.upper_bound(range.begin);
  if (held != held_.begin()) --held;
  for (; held != held_.end() && held->first < end; ++held) {
    if (held->second.end <= range.begin) continue;
    mask |= held->second.writers;
    if (range.access == Range::Access::write) mask |= held->second.readers;
  }
  return mask;
}

std::vector<std::uint32_t> DeviceOrder::before(std::uint32_t device, std::span<const Range> ranges) {
  Mask mask = 0;
  for (const auto& range : ranges) mask |= holders(range);
  for (const auto& range : ranges)
    if (in_step_)
      later_.emplace_back(device, range);
    else
      note(device, range);
  busy_ |= bit(device);
  return numbers(mask & ~bit(device));
}

std::vector<std::uint32_t> DeviceOrder::before(std::span<const Work> work) const {
  Mask mask = 0;
  for (const auto& one : work)
    for (const auto& range : one.ranges) mask |= holders(range) & ~bit(one.device);
  return numbers(mask);
}

void DeviceOrder::close_step() {
  in_step_ = false;
  for (const auto& [device, range] : std::exchange(later_, {})) note(device, range);
}

void DeviceOrder::split(device::Address at) {
  const auto after = held_.upper_bound(at);
  if (after == held_.begin()) return;
  const auto held = std::prev(after);
  if (held->first == at || held->second.end <= at) return;
  auto rest = held->second;
  held->second.end = at;
  held_.emplace(at, rest);
}

void DeviceOrder::note(std::uint32_t device, const Range& range) {
  if (range.bytes == 0) return;
  const auto end = range.begin + range.bytes;
  split(range.begin);
  split(end);
  auto at = range.begin;
  for (auto held = held_.lower_bound(range.begin); at < end;) {
    const bool gap = held == held_.end() || held->first > at;
    if (gap) {
      const auto until = held == held_.end() || held->first > end ? end : held->first;
      held = held_.emplace_hint(held, at, Held{until, 0, 0});
    }
    auto& one = held->second;
    (range.access == Range::Access::write ? one.writers : one.readers) |= bit(device);
    at = one.end;
    ++held;
  }
}

std::vector<std::uint32_t> DeviceOrder::busy() const { return numbers(busy_); }

void DeviceOrder::done(std::uint32_t device) {
  busy_ &= ~bit(device);
  for (auto held = held_.begin(); held != held_.end();) {
    held->second.writers &= ~bit(device);
    held->second.readers &= ~bit(device);
    held = (held->second.writers | held->second.readers) == 0 ? held_.erase(held) : std::next(held);
  }
}

void DeviceOrder::done() {
  held_.clear();
  busy_ = 0;
}

std::string unknown_device(std::string_view number, std::uint32_t devices) {
  if (devices == 1) return fmt::format("unknown device {}: the session has one device, 0", number);
  return fmt::format("unknown device {}: the session has devices 0 to {}", number, devices - 1);
}

}  // namespace xcuda::session
