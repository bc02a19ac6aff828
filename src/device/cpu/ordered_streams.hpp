// The streams and events of a device that does everything in the order of posting, which any stream allows.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>

#include "device/cpu/loaded_modules.hpp"
#include "device/device.hpp"

namespace xcuda::device::cpu {

class Streams {
 public:
  using Clock = std::chrono::steady_clock;

  bool has(StreamId id) const { return streams_.contains(id); }
  void create(StreamId id) {
    if (!streams_.insert(id).second) throw taken("stream", id);
  }
  void destroy(StreamId id) {
    if (id == StreamId{0}) throw Error(ErrorKind::value, "the default stream cannot be destroyed");
    if (streams_.erase(id) == 0) throw missing("stream", id);
  }
  void forget(StreamId id) { streams_.erase(id); }

  bool has(EventId id) const { return events_.contains(id); }
  void create(EventId id) {
    if (!events_.emplace(id, std::nullopt).second) throw taken("event", id);
  }
  void destroy(EventId id) {
    if (events_.erase(id) == 0) throw missing("event", id);
  }
  void record(EventId id) { events_.at(id) = Clock::now(); }
  Nanoseconds elapsed(EventId from, EventId to) const {
    return (recorded(to) - recorded(from)) / std::chrono::nanoseconds(1);
  }

 private:
  Clock::time_point recorded(EventId id) const {
    const auto found = events_.find(id);
    if (found == events_.end()) throw missing("event", id);
    if (!found->second)
      throw Error(ErrorKind::value, fmt::format("event {} was not recorded", static_cast<unsigned>(id)));
    return *found->second;
  }

  std::set<StreamId> streams_{StreamId{0}};
  std::map<EventId, std::optional<Clock::time_point>> events_;
};

}  // namespace xcuda::device::cpu
