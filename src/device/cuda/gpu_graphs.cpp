#include "device/cuda/gpu_graphs.hpp"

#include <fmt/format.h>

#include <chrono>

#include "device/id_errors.hpp"

namespace xcuda::device::cuda {
namespace {

std::string advice_for(CUresult result) {
  switch (result) {
    case CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
      return "record an event in each stream that joined, and wait for it in the captured stream";
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED: return "it contains something that a graph cannot hold";
    default: return "";
  }
}

}  // namespace

GpuGraphs::~GpuGraphs() {
  CUresult result = CUDA_SUCCESS;
  if (capture_) finish(result);
}

void GpuGraphs::begin(GraphId id, StreamId stream) {
  if (capture_) throw Error(ErrorKind::value, "a capture is already running");
  if (graphs_.contains(id)) throw taken(id);
  CUstream raw = nullptr;
  driver_.check(driver_.cuStreamCreate(&raw, CU_STREAM_NON_BLOCKING), "create a stream for a graph");
  Capture capture{id, stream, Stream({&driver_, raw})};
  // Relaxed: modules may be loaded and memory may be made meanwhile, on other streams.
  driver_.check(driver_.cuStreamBeginCapture(raw, CU_STREAM_CAPTURE_MODE_RELAXED), "begin the capture of a graph");
  capture_ = std::move(capture);
}

Graph GpuGraphs::finish(CUresult& result) {
  CUgraph graph = nullptr;
  result = driver_.cuStreamEndCapture(capture_->stream.get(), &graph);
  capture_.reset();
  return graph == nullptr ? Graph() : Graph({&driver_, graph});
}

GraphInfo GpuGraphs::end(GraphId id) {
  if (!capture_ || capture_->id != id)
    throw Error(ErrorKind::value, fmt::format("graph {} is not being captured", static_cast<unsigned>(id)));
  const auto start = std::chrono::steady_clock::now();
  CUresult result = CUDA_SUCCESS;
  const Graph graph = finish(result);
  if (!graph)
    throw Error(ErrorKind::value, "cannot create a graph from the capture")
        .said(driver_.text(result))
        .advise(advice_for(result));
  GraphInfo info;
  std::size_t nodes = 0;
  CUgraphExec ready = nullptr;
  driver_.check(driver_.cuGraphGetNodes(graph.get(), nullptr, &nodes), ErrorKind::value, "count the nodes of a graph");
  driver_.check(driver_.cuGraphInstantiate(&ready, graph.get(), 0), ErrorKind::value, "instantiate a graph");
  graphs_.insert_or_assign(id, ExecutableGraph({&driver_, ready}));
  // Now, so that the first launch does not pay for it.
  driver_.check(driver_.cuGraphUpload(ready, nullptr), "upload a graph to the GPU");
  info.nodes = nodes;
  info.instantiate_time = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
  return info;
}

void GpuGraphs::drop(GraphId id) {
  CUresult result = CUDA_SUCCESS;
  if (capture_ && capture_->id == id) finish(result);
  const auto found = graphs_.find(id);
  if (found == graphs_.end()) return;
  dropped_.push_back(std::move(found->second));
  graphs_.erase(found);
}

bool GpuGraphs::captures(CUstream stream) const {
  if (!capture_ || stream == nullptr) return false;
  if (stream == capture_->stream.get().raw) return true;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return driver_.cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

CUgraphExec GpuGraphs::find(GraphId id) const {
  const auto found = graphs_.find(id);
  return found == graphs_.end() ? nullptr : found->second.get().raw;
}

}  // namespace xcuda::device::cuda
