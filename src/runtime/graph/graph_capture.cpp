// Graphs that a stream captures. Its work becomes nodes, each after the one before it and after the events that the
// stream waits for.
#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/api.hpp"
#include "runtime/graph/graph_calls.hpp"
#include "runtime/graph/graph_launch.hpp"

namespace xcuda::runtime {
namespace {

// Sets the graph, and the nodes in it that come before what is captured.
using ChooseGraph = std::function<cudaError_t(std::shared_ptr<Graph>& graph, std::vector<Node*>& before)>;

// Under the lock, since calls of other threads look at all captures.
cudaError_t begin_capture(State& state, cudaStream_t stream, cudaStreamCaptureMode mode, const ChooseGraph& choose) {
  const std::lock_guard lock(state.mutex);
  Stream* found = state.find_stream(stream);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  if (found == &state.default_stream) return cudaErrorStreamCaptureUnsupported;
  if (found->capture) return cudaErrorIllegalState;
  std::shared_ptr<Graph> graph;
  std::vector<Node*> before;
  if (const auto error = choose(graph, before); error != cudaSuccess) return error;
  graph->mode = mode;
  graph->capturer = std::this_thread::get_id();
  graph->invalid = false;
  found->capture = std::move(graph);
  found->tail = std::move(before);
  found->begins_capture = true;
  return cudaSuccess;
}

thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

void for_each_stream(State& state, const std::function<void(Stream&)>& function) {
  const std::lock_guard lock(state.mutex);
  for (const auto& one : state.thread_streams) function(*one);
  for (const auto& [handle, one] : state.streams) function(*one);
}

// Makes captures invalid that the function picks. The error is that of a call that they do not take.
cudaError_t refuse(State& state, cudaError_t error, const std::function<bool(const Stream&)>& conflicts) {
  bool refused = false;
  for_each_stream(state, [&](Stream& one) {
    if (!one.capture || !conflicts(one)) return;
    one.capture->invalid = refused = true;
  });
  return refused ? error : cudaSuccess;
}

// Whether all work of streams that joined the capture comes before the end of the stream that began it.
bool is_joined(State& state, const std::shared_ptr<Graph>& graph, const Stream& origin) {
  std::set<const Node*> before;
  std::vector<Node*> next = origin.tail;
  while (!next.empty()) {
    Node* const node = next.back();
    next.pop_back();
    if (graph->has(node) && before.insert(node).second) next.insert(next.end(), node->after.begin(), node->after.end());
  }
  bool joined = true;
  for_each_stream(state, [&](Stream& one) {
    if (one.capture == graph)
      for (const Node* node : one.tail) joined = joined && (before.contains(node) || !graph->has(node));
  });
  return joined;
}

cudaStreamCaptureStatus status_of(const Stream& stream) {
  if (!stream.capture) return cudaStreamCaptureStatusNone;
  return stream.capture->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

}  // namespace

cudaError_t refuse_unsafe(State& state) {
  if (thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  return refuse(state, cudaErrorStreamCaptureUnsupported, [](const Stream& one) {
    if (one.capture->capturer == std::this_thread::get_id()) return one.capture->mode != cudaStreamCaptureModeRelaxed;
    return thread_mode == cudaStreamCaptureModeGlobal && one.capture->mode == cudaStreamCaptureModeGlobal;
  });
}

cudaError_t refuse_in_capture(State& state) {
  return refuse(state, cudaErrorStreamCaptureUnsupported, [](const Stream&) { return true; });
}

cudaError_t check_use(State& state, const Stream& stream) {
  if (stream.capture) return stream.capture->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
  if (&stream != &state.default_stream) return cudaSuccess;
  return refuse(state, cudaErrorStreamCaptureImplicit,
                [](const Stream& one) { return (one.flags & cudaStreamNonBlocking) == 0; });
}

cudaError_t check_uncaptured_use(State& state, const Stream& stream) {
  if (!stream.capture) return check_use(state, stream);
  stream.capture->invalid = true;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return with_state([&](State& state) {
    return begin_capture(state, stream, mode, [&](auto& graph, auto&) {
      graph = std::make_shared<Graph>(state.graph_table);
      return cudaSuccess;
    });
  });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData* edges, std::size_t count,
                                          cudaStreamCaptureMode mode) {
  return with_graph(graph, [&](State& state, Graph& into) {
    return begin_capture(state, stream, mode, [&](auto& chosen, auto& before) {
      chosen = into.shared_from_this();
      return read_dependencies(state, into, {dependencies, count, edges}, before);
    });
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* to) {
  return with_state([&](State& state) {
    Stream* found = state.find_stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (to != nullptr) *to = nullptr;
    if (!found->capture) return cudaErrorIllegalState;
    if (!found->begins_capture) {
      found->capture->invalid = true;
      return cudaErrorStreamCaptureUnmatched;
    }
    const auto graph = found->capture;
    if (graph->mode != cudaStreamCaptureModeRelaxed && graph->capturer != std::this_thread::get_id())
      return cudaErrorStreamCaptureWrongThread;
    const bool joined = is_joined(state, graph, *found);
    found->begins_capture = false;
    {
      const std::lock_guard lock(state.mutex);
      graph->capturer = {};
      found->capture.reset();
      for (const auto& one : state.thread_streams)
        if (one->capture == graph) one->capture.reset();
      for (auto& [handle, one] : state.streams)
        if (one->capture == graph) one->capture.reset();
    }
    if (graph->invalid.exchange(false)) return cudaErrorStreamCaptureInvalidated;
    if (!joined) return cudaErrorStreamCaptureUnjoined;
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
    Stream* found = state.find_stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = status_of(*found);
    if (!found->capture) return cudaSuccess;
    std::erase_if(found->tail, [&](const Node* node) { return !found->capture->has(node); });
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

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return without_state([&] {
    if (mode == nullptr || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
      return cudaErrorInvalidValue;
    std::swap(thread_mode, *mode);
    return cudaSuccess;
  });
}

}  // namespace xcuda::runtime
