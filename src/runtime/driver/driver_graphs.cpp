// Graphs: the handles are those of the CUDA Runtime.
#include "runtime/driver/driver_calls.hpp"

namespace xcuda::runtime::driver {
namespace {

const cudaGraphEdgeData* edges_of(const CUgraphEdgeData* from) {
  static_assert(sizeof(CUgraphEdgeData) == sizeof(cudaGraphEdgeData));
  return reinterpret_cast<const cudaGraphEdgeData*>(from);
}
cudaGraphEdgeData* edges_of(CUgraphEdgeData* from) { return reinterpret_cast<cudaGraphEdgeData*>(from); }
static_assert(sizeof(CUgraphExecUpdateResultInfo) == sizeof(cudaGraphExecUpdateResultInfo));
static_assert(sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS) == sizeof(cudaGraphInstantiateParams));

}  // namespace

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return in_context([&] { return runtime::cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(mode)); });
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* to) {
  return in_context([&] { return runtime::cudaStreamEndCapture(stream, to); });
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* to) {
  return in_context(
      [&] { return runtime::cudaStreamIsCapturing(stream, reinterpret_cast<cudaStreamCaptureStatus*>(to)); });
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return after_init(
      [&] { return runtime::cudaThreadExchangeStreamCaptureMode(reinterpret_cast<cudaStreamCaptureMode*>(mode)); });
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* to, CUgraph graph, unsigned long long flags) {
  return after_init([&] { return runtime::cudaGraphInstantiateWithFlags(to, graph, flags); });
}
CUresult cuGraphUpload(CUgraphExec graph, CUstream stream) {
  return after_init([&] { return runtime::cudaGraphUpload(graph, stream); });
}
CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  return after_init([&] { return runtime::cudaGraphLaunch(graph, stream); });
}
CUresult cuGraphExecDestroy(CUgraphExec graph) {
  return after_init([&] { return runtime::cudaGraphExecDestroy(graph); });
}
CUresult cuGraphDestroy(CUgraph graph) {
  return after_init([&] { return runtime::cudaGraphDestroy(graph); });
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode* after,
                                     const CUgraphEdgeData* edges, std::size_t count, CUstreamCaptureMode mode) {
  return in_context([&] {
    return runtime::cudaStreamBeginCaptureToGraph(stream, graph, after, edges_of(edges), count,
                                                  static_cast<cudaStreamCaptureMode>(mode));
  });
}
CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                   const CUgraphNode** after, const CUgraphEdgeData** edges, std::size_t* count) {
  return in_context([&] {
    return runtime::cudaStreamGetCaptureInfo(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status),
                                             reinterpret_cast<unsigned long long*>(id), graph, after,
                                             reinterpret_cast<const cudaGraphEdgeData**>(edges), count);
  });
}
CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                   const CUgraphNode** after, std::size_t* count) {
  return driver::cuStreamGetCaptureInfo_v3(stream, status, id, graph, after, nullptr, count);
}
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id) {
  return driver::cuStreamGetCaptureInfo_v3(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode* after, const CUgraphEdgeData* edges,
                                              std::size_t count, unsigned flags) {
  return in_context(
      [&] { return runtime::cudaStreamUpdateCaptureDependencies(stream, after, edges_of(edges), count, flags); });
}
CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* after, std::size_t count, unsigned flags) {
  return driver::cuStreamUpdateCaptureDependencies_v2(stream, after, nullptr, count, flags);
}

CUresult cuGraphCreate(CUgraph* to, unsigned flags) {
  return after_init([&] { return runtime::cudaGraphCreate(to, flags); });
}
CUresult cuGraphClone(CUgraph* to, CUgraph graph) {
  return after_init([&] { return runtime::cudaGraphClone(to, graph); });
}
CUresult cuGraphNodeFindInClone(CUgraphNode* to, CUgraphNode node, CUgraph clone) {
  return after_init([&] { return runtime::cudaGraphNodeFindInClone(to, node, clone); });
}
CUresult cuGraphInstantiateWithParams(CUgraphExec* to, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
  return after_init([&] {
    return runtime::cudaGraphInstantiateWithParams(to, graph,
                                                   reinterpret_cast<cudaGraphInstantiateParams*>(parameters));
  });
}
CUresult cuGraphInstantiate_v2(CUgraphExec* to, CUgraph graph, CUgraphNode* at_fault, char* log, std::size_t room) {
  if (at_fault != nullptr) *at_fault = nullptr;
  if (log != nullptr && room > 0) *log = 0;
  return driver::cuGraphInstantiateWithFlags(to, graph, 0);
}
CUresult cuGraphInstantiate(CUgraphExec* to, CUgraph graph, CUgraphNode* at_fault, char* log, std::size_t room) {
  return driver::cuGraphInstantiate_v2(to, graph, at_fault, log, room);
}
CUresult cuGraphExecGetFlags(CUgraphExec graph, cuuint64_t* flags) {
  return after_init(
      [&] { return runtime::cudaGraphExecGetFlags(graph, reinterpret_cast<unsigned long long*>(flags)); });
}
CUresult cuGraphExecUpdate_v2(CUgraphExec executable, CUgraph graph, CUgraphExecUpdateResultInfo* result) {
  return after_init([&] {
    return runtime::cudaGraphExecUpdate(executable, graph, reinterpret_cast<cudaGraphExecUpdateResultInfo*>(result));
  });
}
CUresult cuGraphExecUpdate(CUgraphExec executable, CUgraph graph, CUgraphNode* node, CUgraphExecUpdateResult* result) {
  CUgraphExecUpdateResultInfo info{};
  const auto error = driver::cuGraphExecUpdate_v2(executable, graph, &info);
  if (node != nullptr) *node = info.errorNode;
  if (result != nullptr) *result = info.result;
  return error;
}
CUresult cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned flags) {
  return after_init([&] { return runtime::cudaGraphDebugDotPrint(graph, path, flags); });
}

// --- What a graph consists of ----------------------------------------------------------------------------------------

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  return after_init([&] { return runtime::cudaGraphNodeGetType(node, reinterpret_cast<cudaGraphNodeType*>(type)); });
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  return after_init([&] { return runtime::cudaGraphGetNodes(graph, nodes, count); });
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  return after_init([&] { return runtime::cudaGraphGetRootNodes(graph, nodes, count); });
}
CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* edges,
                            std::size_t* count) {
  return after_init([&] { return runtime::cudaGraphGetEdges(graph, from, to, edges_of(edges), count); });
}
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, std::size_t* count) {
  return driver::cuGraphGetEdges_v2(graph, from, to, nullptr, count);
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode* to, CUgraphEdgeData* edges, std::size_t* count) {
  return after_init([&] { return runtime::cudaGraphNodeGetDependencies(node, to, edges_of(edges), count); });
}
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* to, std::size_t* count) {
  return driver::cuGraphNodeGetDependencies_v2(node, to, nullptr, count);
}
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode* to, CUgraphEdgeData* edges,
                                         std::size_t* count) {
  return after_init([&] { return runtime::cudaGraphNodeGetDependentNodes(node, to, edges_of(edges), count); });
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* to, std::size_t* count) {
  return driver::cuGraphNodeGetDependentNodes_v2(node, to, nullptr, count);
}
CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* edges, std::size_t count) {
  return after_init([&] { return runtime::cudaGraphAddDependencies(graph, from, to, edges_of(edges), count); });
}
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, std::size_t count) {
  return driver::cuGraphAddDependencies_v2(graph, from, to, nullptr, count);
}
CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                      const CUgraphEdgeData* edges, std::size_t count) {
  return after_init([&] { return runtime::cudaGraphRemoveDependencies(graph, from, to, edges_of(edges), count); });
}
CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, std::size_t count) {
  return driver::cuGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}
CUresult cuGraphDestroyNode(CUgraphNode node) {
  return after_init([&] { return runtime::cudaGraphDestroyNode(node); });
}

// --- Objects and memory ----------------------------------------------------------------------------------------------

CUresult cuUserObjectCreate(CUuserObject* to, void* data, CUhostFn destroy, unsigned references, unsigned flags) {
  return after_init([&] { return runtime::cudaUserObjectCreate(to, data, destroy, references, flags); });
}
CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
  return after_init([&] { return runtime::cudaUserObjectRetain(object, count); });
}
CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
  return after_init([&] { return runtime::cudaUserObjectRelease(object, count); });
}
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags) {
  return after_init([&] { return runtime::cudaGraphRetainUserObject(graph, object, count, flags); });
}
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
  return after_init([&] { return runtime::cudaGraphReleaseUserObject(graph, object, count); });
}
CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return after_init([&] { return runtime::cudaDeviceGraphMemTrim(device); });
}
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* to) {
  return after_init([&] {
    return runtime::cudaDeviceGetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(attribute), to);
  });
}
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value) {
  return after_init([&] {
    return runtime::cudaDeviceSetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(attribute), value);
  });
}

}  // namespace xcuda::runtime::driver
