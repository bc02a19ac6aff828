// The streams and events of a session on a GPU, by the session's numbers.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "device/cuda/owned.hpp"
#include "device/device.hpp"

namespace xcuda::device::cuda {

class GpuStreams {
 public:
  explicit GpuStreams(const Driver& driver) : driver_(driver) {}

  void create_stream(StreamId id);  // Errors: value, device
  void destroy_stream(StreamId id);
  std::optional<CUstream> find_stream(StreamId id) const;  // nullptr is the default stream, which is always there

  const std::vector<CUstream>& others() const { return others_; }  // besides the default stream

  void create_event(EventId id);
  void destroy_event(EventId id);
  CUevent find_event(EventId id) const;  // nullptr when there is none
  Nanoseconds elapsed(EventId from, EventId to) const;

 private:
  const Driver& driver_;
  std::map<StreamId, Stream> streams_;
  std::vector<CUstream> others_;
  std::map<EventId, Event> events_;
};

}  // namespace xcuda::device::cuda
