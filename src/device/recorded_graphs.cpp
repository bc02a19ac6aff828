#include "device/recorded_graphs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "device/id_errors.hpp"

namespace xcuda::device {

void RecordedGraphs::begin(GraphId id, StreamId stream) {
  if (capture_) throw Error(ErrorKind::value, "a capture is already running");
  if (graphs_.contains(id)) throw taken(id);
  capture_.emplace();
  capture_->id = id;
  capture_->origin = stream;
  capture_->streams[stream];
}

GraphInfo RecordedGraphs::end(GraphId id) {
  if (!capture_ || capture_->id != id)
    throw Error(ErrorKind::value, fmt::format("graph {} is not being captured", static_cast<unsigned>(id)));
  const auto capture = *std::exchange(capture_, std::nullopt);
  const auto& seen = capture.streams.at(capture.origin);
  for (const auto& [stream, count] : capture.counts) {
    const auto covered = seen.find(stream);
    if (stream != capture.origin && (covered == seen.end() || covered->second < count))
      throw Error(ErrorKind::value, fmt::format("the graph does not wait for stream {}", static_cast<unsigned>(stream)))
          .advise("Record an event in that stream, and wait for it in the captured stream.");
  }
  auto& work = graphs_[id] = capture.work;
  return {work.size(), 0};
}

void RecordedGraphs::drop(GraphId id) {
  if (capture_ && capture_->id == id) capture_.reset();
  graphs_.erase(id);
}

void RecordedGraphs::keep(StreamId stream, Work work) {
  ++capture_->counts[stream];
  capture_->work.push_back(std::move(work));
}

void RecordedGraphs::record(EventId event, StreamId stream) {
  auto seen = capture_->streams.at(stream);
  seen[stream] = capture_->counts[stream];
  capture_->events[event] = std::move(seen);
}

bool RecordedGraphs::join(StreamId stream, EventId event) {
  if (!capture_) return false;
  const auto found = capture_->events.find(event);
  if (found == capture_->events.end()) return false;
  auto& seen = capture_->streams[stream];
  for (const auto& [other, count] : found->second) seen[other] = std::max(seen[other], count);
  if (stream != capture_->origin) ++capture_->counts[stream];  // even without work of its own it has to be joined back
  return true;
}

const std::vector<RecordedGraphs::Work>* RecordedGraphs::find(GraphId id) const {
  const auto found = graphs_.find(id);
  return found == graphs_.end() ? nullptr : &found->second;
}

}  // namespace xcuda::device
