// Graphs of devices that run work in the order of posting: a graph is the list of what was posted to the streams of its
// capture, in that order, which their events allow.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "device/device.hpp"

namespace xcuda::device {

class RecordedGraphs {
 public:
  using Work = std::function<std::optional<Fault>(const WaitRequest&)>;

  void begin(GraphId id, StreamId stream);  // Error(value)
  GraphInfo end(GraphId id);                // Error(value); its capture has ended all the same
  void drop(GraphId id);                    // a graph or a capture; nothing when there is none

  // Whether the stream belongs to the running capture; then its work is kept, and its events order it.
  bool has(StreamId stream) const { return capture_ && capture_->streams.contains(stream); }
  // The stream that this graph is captured on; none when it is not being captured.
  std::optional<StreamId> origin(GraphId id) const {
    return capture_ && capture_->id == id ? std::optional(capture_->origin) : std::nullopt;
  }
  void keep(StreamId stream, Work work);
  void record(EventId event, StreamId stream);
  bool join(StreamId stream, EventId event);  // whether the event belongs to the capture; the stream then does, too

  const std::vector<Work>* find(GraphId id) const;  // null when there is no such graph

 private:
  // How much of each stream's work comes before an event, or before a stream's next work.
  using Seen = std::map<StreamId, std::uint64_t>;
  struct Capture {  // no member has an initialiser: clang 14 cannot make an optional of one that does, in a class
    GraphId id;
    StreamId origin;
    Seen counts;  // of the work of each stream so far
    std::map<StreamId, Seen> streams;
    std::map<EventId, Seen> events;
    std::vector<Work> work;
  };
  std::optional<Capture> capture_;
  std::map<GraphId, std::vector<Work>> graphs_;
};

}  // namespace xcuda::device
