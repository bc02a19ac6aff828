// When a device did what work: a row for each stream, a bar for each piece of work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "display/bundle.hpp"

namespace xcuda::display {

struct TimelineBar {
  std::size_t stream = 0;     // of TimelineView::streams
  std::string label;          // "scale", "copy to the host"; equal ones have one colour
  double begin = 0, end = 0;  // nanoseconds since the first work began
  std::uint64_t bytes = 0;    // of a fill or a copy
};

struct TimelineView {
  std::string device;
  std::vector<std::string> streams;
  std::vector<TimelineBar> bars;
  std::uint64_t left_out = 0;  // pieces of work without a bar
  double before = 0;           // nanoseconds from the cell's first statement until the first work began
};

inline constexpr std::string_view kTimelineMime = "application/vnd.xcuda.timeline+json";

// Nanoseconds in which the device worked, and in which two streams worked at once.
struct BusyTime {
  double total = 0, busy = 0, together = 0;  // total: until the last bar ends
};
BusyTime busy_time(const TimelineView& view);

Bundle timeline_bundle(const TimelineView& view);

}  // namespace xcuda::display
