#include "session/stream_table.hpp"

#include <fmt/format.h>

namespace xcuda::session {

device::StreamId StreamTable::stream(const std::string& name) {
  if (const auto known = streams_.find(name); known != streams_.end()) return known->second;
  const auto id = device::on_device(next_stream(), device_.order().current());
  device_.get().create_stream(id);
  streams_[name] = id;
  return id;
}

device::EventId StreamTable::event(const std::string& name) {
  if (const auto known = events_.find(name); known != events_.end()) return known->second;
  const device::EventId id{next_event_++};
  device_.get().create_event(id);
  events_[name] = id;
  return id;
}

// No variable has a name with a blank in it.
device::StreamId StreamTable::make_stream() {
  made_streams_.insert(next_stream_);
  return stream(fmt::format("stream {}", next_stream_));
}

device::EventId StreamTable::make_event() {
  made_events_.insert(next_event_);
  return event(fmt::format("event {}", next_event_));
}

void StreamTable::end_made(device::StreamId stream) {
  if (made_streams_.erase(static_cast<std::uint32_t>(device::without_device(stream))) == 0) return;
  std::erase_if(streams_, [&](const auto& one) { return one.second == stream; });
  flags_.erase(stream);
  device_.get().destroy_stream(stream);
}

void StreamTable::end_made(device::EventId event) {
  if (made_events_.erase(static_cast<std::uint32_t>(event)) == 0) return;
  std::erase_if(events_, [&](const auto& one) { return one.second == event; });
  recorded_.erase(event);
  device_.get().destroy_event(event);
}

std::optional<device::StreamId> StreamTable::stream_numbered(std::uint32_t number) const {
  for (const auto& [name, id] : streams_)
    if (device::without_device(id) == device::StreamId{number}) return id;
  return std::nullopt;
}

std::optional<device::EventId> StreamTable::event_numbered(std::uint32_t number) const {
  for (const auto& [name, id] : events_)
    if (id == device::EventId{number}) return id;
  return std::nullopt;
}

void StreamTable::rename(const std::string& from, const std::string& to) {
  if (from == to) return;
  const auto move = [&](auto& named, const auto& end) {
    for (auto at = named.lower_bound(from); at != named.end() && at->first.starts_with(from);
         at = named.lower_bound(from)) {
      auto one = named.extract(at);
      one.key().replace(0, from.size(), to);
      if (const auto old = named.extract(one.key())) end(old.mapped());
      named.insert(std::move(one));
    }
  };
  move(streams_, [&](device::StreamId id) { device_.get().destroy_stream(id); });
  move(events_, [&](device::EventId id) { device_.get().destroy_event(id); });
}

std::vector<device::EventId> StreamTable::timing_events(std::size_t count) {
  while (timing_events_.size() < count) {
    const device::EventId id{next_event_++};
    device_.get().create_event(id);
    timing_events_.push_back(id);
  }
  return {timing_events_.begin(), timing_events_.begin() + static_cast<std::ptrdiff_t>(count)};
}

std::string StreamTable::name_of(device::StreamId stream) const {
  for (const auto& [name, id] : streams_)
    if (id == stream) return name;
  return "default stream";
}

// A stream of a device that is not there becomes one of the first.
void StreamTable::make_on(device::Device& device) {
  for (auto& [name, id] : streams_)
    if (device::device_of(id) >= device.devices()) id = device::without_device(id);
  for (const auto& [name, id] : streams_) device.create_stream(id);
  for (const auto& [name, id] : events_) device.create_event(id);
  for (const auto id : timing_events_) device.create_event(id);
}

void StreamTable::clear() {
  for (const auto& [name, id] : streams_) device_.get().destroy_stream(id);
  for (const auto& [name, id] : events_) device_.get().destroy_event(id);
  for (const auto id : timing_events_) device_.get().destroy_event(id);
  streams_.clear();
  events_.clear();
  timing_events_.clear();
  made_streams_.clear();
  made_events_.clear();
  flags_.clear();
  recorded_.clear();
}

}  // namespace xcuda::session
