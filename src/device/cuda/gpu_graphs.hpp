// CUDA graphs: what is posted to a stream while it is captured, made ready to be launched as a whole.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "device/cuda/owned.hpp"
#include "device/device.hpp"

namespace xcuda::device::cuda {

class GpuGraphs {
 public:
  explicit GpuGraphs(const Driver& driver) : driver_(driver) {}
  GpuGraphs(const GpuGraphs&) = delete;
  GpuGraphs& operator=(const GpuGraphs&) = delete;
  ~GpuGraphs();

  // Makes a stream of the capture's own. It does not wait for the default stream: while it is captured, that would be
  // an order that a graph cannot hold. Error(value), Error(device).
  void begin(GraphId id, StreamId stream);
  GraphInfo end(GraphId id);  // Error(value); its capture has ended all the same
  void drop(GraphId id);      // a graph or a capture; nothing when there is none. Launches of it run to their end
  void synchronized() { dropped_.clear(); }  // everything posted so far is done

  bool capturing() const { return capture_.has_value(); }
  bool captures(CUstream stream) const;  // whether it is in the capture: the capture's own, or one that joined it
  std::optional<CUstream> find_stream(StreamId id) const {  // the capture's own; none for any other
    return capture_ && capture_->id_of_stream == id ? std::optional<CUstream>(capture_->stream.get()) : std::nullopt;
  }
  CUgraphExec find(GraphId id) const;  // nullptr when there is none

 private:
  struct Capture {
    GraphId id{};
    StreamId id_of_stream{};
    Stream stream;
  };
  Graph finish(CUresult& result);  // ends the capture in any case

  const Driver& driver_;
  std::optional<Capture> capture_;
  std::map<GraphId, ExecutableGraph> graphs_;
  std::vector<ExecutableGraph> dropped_;  // graphs that may still run
};

}  // namespace xcuda::device::cuda
