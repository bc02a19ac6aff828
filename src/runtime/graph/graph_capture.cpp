// Graphs that a stream captures. Its work becomes nodes, each after the one before it and after the events that the
// stream waits for.
#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/api.hpp"
#include "runtime/graph/graph_calls.hpp"
#include "runtime/graph/graph_launch.hpp"

namespace xcuda::runtime {
namespace {

cudaError_t begin_capture(State& state, cudaStream_t stream, cudaStreamCaptureMode mode,
                          const std::function<cudaError_t(Stream&)>& set) {
  Stream* found = state.find_stream(stream);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  if (found == &state.default_stream) return cudaErrorStreamCaptureUnsupported;
  if (found->capture) return cudaErrorIllegalState;
  found->tail.clear();
  if (const auto error = set(*found); error != cudaSuccess) return error;
  found->begins_capture = true;
  return cudaSuccess;
}

cudaStreamCaptureStatus status_of(const Stream& stream) {
  if (!stream.capture) return cudaStreamCaptureStatusNone;
  return stream.capture->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return with_state([&](State& state) {
    return begin_capture(state, stream, mode, [&](Stream& found) {
      found.capture = std::make_shared<Graph>(state.graph_table);
      return cudaSuccess;
    });
  });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData* edges, std::size_t count,
                                          cudaStreamCaptureMode mode) {
  return with_graph(graph, [&](State& state, Graph& into) {
    return begin_capture(state, stream, mode, [&](Stream& found) {
      const auto error = read_dependencies(state, into, {dependencies, count, edges}, found.tail);
      if (error == cudaSuccess) found.capture = into.shared_from_this();
      return error;
    });
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* to) {
  return with_state([&](State& state) {
    Stream* found = state.find_stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (to != nullptr) *to = nullptr;
    if (!found->capture) return cudaErrorIllegalState;
    if (!found->begins_capture) return cudaErrorStreamCaptureUnmatched;
    const auto graph = found->capture;
    found->begins_capture = false;
    {
      const std::lock_guard lock(state.mutex);
      found->capture.reset();
      for (const auto& one : state.thread_streams)
        if (one->capture == graph) one->capture.reset();
      for (auto& [handle, one] : state.streams)
        if (one->capture == graph) one->capture.reset();
    }
    if (std::exchange(graph->invalid, false)) return cudaErrorStreamCaptureInvalidated;
    if (graph.use_count() == 1) {  // not into a graph that was there before
      if (to == nullptr) return cudaErrorInvalidValue;
      keep(state, graph);
    }
    if (to != nullptr) *to = handle_of(graph.get());
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return with_state([&](State& state) {
    const Stream* found = state.find_stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = status_of(*found);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, std::size_t* count) {
  return with_state([&](State& state) {
    const Stream* found = state.find_stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = status_of(*found);
    if (!found->capture) return cudaSuccess;
    thread_local std::vector<cudaGraphEdgeData> plain;
    plain.assign(found->tail.size(), {});
    if (id != nullptr) *id = found->capture->id;
    if (graph != nullptr) *graph = handle_of(found->capture.get());
    if (dependencies != nullptr) *dependencies = reinterpret_cast<const cudaGraphNode_t*>(found->tail.data());
    if (edges != nullptr) *edges = plain.data();
    if (count != nullptr) *count = found->tail.size();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData* edges, std::size_t count, unsigned flags) {
  return with_state([&](State& state) {
    Stream* found = state.find_stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (flags > cudaStreamSetCaptureDependencies) return cudaErrorInvalidValue;
    if (!found->capture) return cudaErrorIllegalState;
    std::vector<Node*> nodes;
    const auto error = read_dependencies(state, *found->capture, {dependencies, count, edges}, nodes);
    if (error != cudaSuccess) return error;
    if (flags == cudaStreamSetCaptureDependencies) found->tail.clear();
    for (Node* node : nodes)
      if (std::find(found->tail.begin(), found->tail.end(), node) == found->tail.end()) found->tail.push_back(node);
    return cudaSuccess;
  });
}

// What is not safe in a capture waits or is refused in any mode.
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return without_state([&] {
    thread_local cudaStreamCaptureMode own = cudaStreamCaptureModeGlobal;
    if (mode == nullptr || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
      return cudaErrorInvalidValue;
    std::swap(own, *mode);
    return cudaSuccess;
  });
}

}  // namespace xcuda::runtime
