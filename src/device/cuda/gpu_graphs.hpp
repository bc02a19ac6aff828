// CUDA graphs: what is posted to a stream while it is captured, made ready to be launched as a whole.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "device/cuda/driver.hpp"
#include "device/device.hpp"

namespace xcuda::device::cuda {

class GpuGraphs {
 public:
  explicit GpuGraphs(const Driver& driver) : driver_(driver) {}
  GpuGraphs(const GpuGraphs&) = delete;
  GpuGraphs& operator=(const GpuGraphs&) = delete;
  ~GpuGraphs();

  // A stream of the capture's own. It does not wait for the default stream: while it is captured, that would be an
  // order that a graph cannot hold. Error(value), Error(device).
  CUstream begin(GraphId id, StreamId stream);
  GraphInfo end(GraphId id);  // Error(value); its capture has ended all the same
  void drop(GraphId id);      // a graph or a capture; nothing when there is none. Launches of it run to their end
  void synchronized();        // everything posted so far is done

  bool capturing() const { return capture_.has_value(); }
  bool owns(CUstream stream) const { return capture_ && capture_->raw == stream; }
  bool captures(CUstream stream) const;  // whether it is in the capture: the capture's own, or one that joined it
  // The stream that this graph is captured on; none when it is not being captured.
  std::optional<StreamId> origin(GraphId id) const {
    return capture_ && capture_->id == id ? std::optional(capture_->stream) : std::nullopt;
  }
  CUgraphExec find(GraphId id) const;  // nullptr when there is none

 private:
  struct Capture {
    GraphId id{};
    StreamId stream{};
    CUstream raw = nullptr;
  };
  CUgraph finish(CUresult& result);  // ends the capture in any case

  const Driver& driver_;
  std::optional<Capture> capture_;
  std::map<GraphId, CUgraphExec> graphs_;
  std::vector<CUgraphExec> dropped_;  // that may still run
};

}  // namespace xcuda::device::cuda
