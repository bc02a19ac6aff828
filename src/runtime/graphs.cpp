// Graphs that a stream captures: its work in the order of posting, which keeps every dependency.
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/api.hpp"
#include "runtime/calls.hpp"

namespace xcuda::runtime {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return with_state([&](State& state) {
    Stream* found = state.find_stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
    if (found == &state.default_stream) return cudaErrorStreamCaptureUnsupported;
    if (found->capture) return cudaErrorIllegalState;
    found->capture = std::make_shared<Graph>();
    found->begins_capture = true;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* to) {
  return with_state([&](State& state) {
    Stream* found = state.find_stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (to == nullptr) return cudaErrorInvalidValue;
    *to = nullptr;
    if (!found->capture) return cudaErrorIllegalState;
    if (!found->begins_capture) return cudaErrorStreamCaptureUnmatched;
    const std::lock_guard lock(state.mutex);
    const auto graph = found->capture;
    found->begins_capture = false;
    found->capture.reset();
    state.thread_stream.capture = state.thread_stream.capture == graph ? nullptr : state.thread_stream.capture;
    for (auto& [handle, one] : state.streams)
      if (one->capture == graph) one->capture.reset();
    if (graph->invalid) return cudaErrorStreamCaptureInvalidated;
    *to = reinterpret_cast<cudaGraph_t>(graph.get());
    state.graphs.emplace(*to, graph);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return with_state([&](State& state) {
    const Stream* found = state.find_stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = !found->capture           ? cudaStreamCaptureStatusNone
              : found->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                        : cudaStreamCaptureStatusActive;
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

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* to, cudaGraph_t graph, unsigned long long) {
  return with_state([&](State& state) {
    if (to == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(state.mutex);
    const auto found = state.graphs.find(graph);
    if (found == state.graphs.end()) return cudaErrorInvalidValue;
    const auto copy = std::make_shared<Graph>(*found->second);
    *to = reinterpret_cast<cudaGraphExec_t>(copy.get());
    state.executables.emplace(*to, copy);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* to, cudaGraph_t graph, unsigned long long flags) {
  return runtime::cudaGraphInstantiateWithFlags(to, graph, flags);
}

// Work that waits until it may begin: there is nothing to upload.
cudaError_t cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t stream) {
  return with_state([&](State& state) {
    if (!state.find_stream(stream)) return cudaErrorInvalidResourceHandle;
    const std::lock_guard lock(state.mutex);
    return state.executables.contains(graph) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  return with_state([&](State& state) {
    Stream* on = state.find_stream(stream);
    if (on == nullptr) return cudaErrorInvalidResourceHandle;
    const std::lock_guard lock(state.mutex);
    const auto found = state.executables.find(graph);
    if (found == state.executables.end()) return cudaErrorInvalidValue;
    const auto& items = found->second->items;
    if (on->capture)
      on->capture->items.insert(on->capture->items.end(), items.begin(), items.end());
    else if (!items.empty())
      on->last = state.engine.post(items);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  return with_state([&](State& state) {
    const std::lock_guard lock(state.mutex);
    return state.executables.erase(graph) > 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return with_state([&](State& state) {
    const std::lock_guard lock(state.mutex);
    return state.graphs.erase(graph) > 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
}

}  // namespace xcuda::runtime
