// The device's work while %%timeline recorded it, each piece between two events.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "session/stream_table.hpp"

namespace xcuda::session {

class Timeline {
 public:
  static constexpr std::size_t kMost = 500;  // pieces of work; more are only counted

  enum class Kind : std::uint8_t { launch, graph, library, fill, copy, to_device, to_host };
  struct Work {
    Kind kind = Kind::launch;
    device::StreamId stream{};
    std::string_view name{};  // of the kernel or of the library's call
    std::uint64_t bytes = 0;  // filled or copied
  };
  struct Entry {
    Kind kind = Kind::launch;
    device::StreamId stream{};
    std::string name;
    std::uint64_t bytes = 0;
    device::EventId begin{}, end{};
  };

  // Makes all events first: making one takes longer than some launches.
  Timeline(StreamTable& streams, std::uint32_t devices) : events_(streams.timing_events(2 * kMost + devices)) {}

  // Each device has a clock of its own. Its origin is recorded when all of them are idle, one right after the other.
  device::EventId origin(std::uint32_t device) const { return events_[2 * kMost + device]; }
  const Entry* add(const Work& work);  // the events to record around it; null if it is one too many
  const std::vector<Entry>& entries() const { return entries_; }
  std::uint64_t left_out() const { return left_out_; }

 private:
  std::vector<device::EventId> events_;
  std::vector<Entry> entries_;
  std::uint64_t left_out_ = 0;
};

}  // namespace xcuda::session
