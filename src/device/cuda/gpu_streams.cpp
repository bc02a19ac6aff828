#include "device/cuda/gpu_streams.hpp"

#include <fmt/format.h>

#include <cmath>

#include "device/id_errors.hpp"

namespace xcuda::device::cuda {

void GpuStreams::create_stream(StreamId id) {
  CUstream raw = nullptr;
  driver_.check(driver_.cuStreamCreate(&raw, CU_STREAM_DEFAULT), "make a stream");
  streams_.insert_or_assign(id, Stream({&driver_, raw}));
  others_.push_back(raw);
}

void GpuStreams::destroy_stream(StreamId id) {
  const auto found = streams_.find(id);
  if (found == streams_.end())
    throw Error(ErrorKind::value, fmt::format("there is no stream {} to destroy", static_cast<unsigned>(id)));
  std::erase(others_, found->second.get().raw);
  streams_.erase(found);
}

std::optional<CUstream> GpuStreams::find_stream(StreamId id) const {
  if (id == StreamId{0}) return nullptr;
  const auto found = streams_.find(id);
  return found == streams_.end() ? std::nullopt : std::optional<CUstream>(found->second.get());
}

void GpuStreams::create_event(EventId id) {
  if (events_.contains(id)) throw taken(id);
  CUevent raw = nullptr;
  driver_.check(driver_.cuEventCreate(&raw, CU_EVENT_DEFAULT), "make an event");
  events_.emplace(id, Event({&driver_, raw}));
}

void GpuStreams::destroy_event(EventId id) {
  if (events_.erase(id) == 0) throw missing(id);
}

CUevent GpuStreams::find_event(EventId id) const {
  const auto found = events_.find(id);
  return found == events_.end() ? nullptr : found->second.get().raw;
}

Nanoseconds GpuStreams::elapsed(EventId from, EventId to) const {
  const CUevent a = find_event(from), b = find_event(to);
  if (a == nullptr || b == nullptr)
    throw Error(ErrorKind::value, "cannot read the time between two events: one does not exist");
  float milliseconds = 0;
  const CUresult result = driver_.cuEventElapsedTime(&milliseconds, a, b);
  if (result == CUDA_ERROR_INVALID_HANDLE)
    throw Error(ErrorKind::value, "cannot read the time between two events: one was never recorded")
        .said(driver_.text(result))
        .advise("Record both first: record(e)");
  driver_.check(result, ErrorKind::value, "read the time between two events");
  return std::llround(double{milliseconds} * 1e6);
}

}  // namespace xcuda::device::cuda
