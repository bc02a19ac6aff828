#include "device/cuda/gpu_graphs.hpp"

#include <fmt/format.h>

#include <chrono>

namespace xcuda::device::cuda {
namespace {

std::string advice_for(CUresult result) {
  switch (result) {
    case CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
      return "record an event in each stream that joined, and wait for it in the stream of the capture";
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED: return "something that a graph cannot hold was posted to it";
    default: return "";
  }
}

}  // namespace

GpuGraphs::~GpuGraphs() {
  CUresult result = CUDA_SUCCESS;
  if (capture_)
    if (const CUgraph graph = finish(result); graph != nullptr) driver_.cuGraphDestroy(graph);
  for (const auto& [id, graph] : graphs_) driver_.cuGraphExecDestroy(graph);
  synchronized();
}

CUstream GpuGraphs::begin(GraphId id, StreamId stream) {
  if (capture_) throw Error(ErrorKind::value, "a capture goes on already");
  if (graphs_.contains(id))
    throw Error(ErrorKind::value, fmt::format("graph {} exists already", static_cast<unsigned>(id)));
  CUstream raw = nullptr;
  driver_.check(driver_.cuStreamCreate(&raw, CU_STREAM_NON_BLOCKING), "make a stream for a graph");
  // Relaxed: modules may be loaded and memory may be made meanwhile, on other streams.
  if (const CUresult result = driver_.cuStreamBeginCapture(raw, CU_STREAM_CAPTURE_MODE_RELAXED);
      result != CUDA_SUCCESS) {
    driver_.cuStreamDestroy(raw);
    driver_.check(result, "begin the capture of a graph");
  }
  capture_ = Capture{id, stream, raw};
  return raw;
}

CUgraph GpuGraphs::finish(CUresult& result) {
  CUgraph graph = nullptr;
  result = driver_.cuStreamEndCapture(capture_->raw, &graph);
  driver_.cuStreamDestroy(capture_->raw);
  capture_.reset();
  return result == CUDA_SUCCESS ? graph : nullptr;
}

GraphInfo GpuGraphs::end(GraphId id) {
  if (!capture_ || capture_->id != id)
    throw Error(ErrorKind::value, fmt::format("graph {} is not being captured", static_cast<unsigned>(id)));
  const auto start = std::chrono::steady_clock::now();
  CUresult result = CUDA_SUCCESS;
  const CUgraph graph = finish(result);
  if (graph == nullptr)
    throw Error(ErrorKind::value, "cannot make a graph of what was captured")
        .said(driver_.text(result))
        .advise(advice_for(result));
  GraphInfo info;
  std::size_t nodes = 0;
  CUgraphExec ready = nullptr;
  result = driver_.cuGraphGetNodes(graph, nullptr, &nodes);
  if (result == CUDA_SUCCESS) result = driver_.cuGraphInstantiate(&ready, graph, 0);
  // The executable graph holds all it needs.
  driver_.cuGraphDestroy(graph);
  driver_.check(result, ErrorKind::value, "make a graph ready to be launched");
  graphs_[id] = ready;
  // Now, so that the first launch does not pay for it.
  driver_.check(driver_.cuGraphUpload(ready, nullptr), "bring a graph to the GPU");
  info.nodes = nodes;
  info.instantiate_time = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
  return info;
}

void GpuGraphs::drop(GraphId id) {
  CUresult result = CUDA_SUCCESS;
  if (capture_ && capture_->id == id)
    if (const CUgraph graph = finish(result); graph != nullptr) driver_.cuGraphDestroy(graph);
  const auto found = graphs_.find(id);
  if (found == graphs_.end()) return;
  dropped_.push_back(found->second);
  graphs_.erase(found);
}

void GpuGraphs::synchronized() {
  for (const CUgraphExec graph : dropped_) driver_.cuGraphExecDestroy(graph);
  dropped_.clear();
}

bool GpuGraphs::captures(CUstream stream) const {
  if (!capture_ || stream == nullptr) return false;
  if (stream == capture_->raw) return true;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return driver_.cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

CUgraphExec GpuGraphs::find(GraphId id) const {
  const auto found = graphs_.find(id);
  return found == graphs_.end() ? nullptr : found->second;
}

}  // namespace xcuda::device::cuda
