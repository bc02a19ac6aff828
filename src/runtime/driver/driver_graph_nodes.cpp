// Nodes of graphs. Parameters are the CUDA Runtime's, except for names; copies are counted in bytes.
#include <cstring>
#include <optional>

#include "runtime/cuda_arrays.hpp"
#include "runtime/driver/driver_calls.hpp"
#include "runtime/driver/driver_word_nodes.hpp"

namespace xcuda::runtime::driver {
namespace {

// --- The CUDA Runtime's parameters, and back ------------------------------------------------------------------------

template <class From> cudaKernelNodeParams kernel_of(const From& from) {
  cudaKernelNodeParams to{};
  to.func = from.func;
  if constexpr (requires { from.kern; })
    if (from.func == nullptr) to.func = from.kern;
  to.gridDim = dim3{from.gridDimX, from.gridDimY, from.gridDimZ};
  to.blockDim = dim3{from.blockDimX, from.blockDimY, from.blockDimZ};
  to.sharedMemBytes = from.sharedMemBytes;
  to.kernelParams = from.kernelParams;
  to.extra = from.extra;
  return to;
}
template <class To> To driver_kernel_of(const cudaKernelNodeParams& from) {
  To to{};
  to.func = static_cast<CUfunction>(from.func);
  to.gridDimX = from.gridDim.x, to.gridDimY = from.gridDim.y, to.gridDimZ = from.gridDim.z;
  to.blockDimX = from.blockDim.x, to.blockDimY = from.blockDim.y, to.blockDimZ = from.blockDim.z;
  to.sharedMemBytes = from.sharedMemBytes;
  to.kernelParams = from.kernelParams;
  return to;
}

template <class From> cudaMemsetParams fill_of(const From& from) {
  return {pointer(from.dst), from.pitch, from.value, from.elementSize, from.width, from.height};
}

// An extent or a place of an array is of elements there, and of bytes here.
std::size_t element_bytes_of(State& state, cudaArray_t array) {
  const auto* found = state.find_array(array);
  return found == nullptr ? 1 : found->element_bytes();
}
cudaArray_t runtime_array(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }

cudaError_t read_driver_box(State& state, const CUDA_MEMCPY3D& from, cudaMemcpy3DParms& to) {
  const auto pointer_of = [&](CUmemorytype type, const void* host, CUdeviceptr device, std::size_t pitch,
                              std::size_t height) {
    void* address = type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : pointer(device);
    return cudaPitchedPtr{address, pitch != 0 ? pitch : from.WidthInBytes, from.WidthInBytes,
                          height != 0 ? height : from.Height};
  };
  to = {};
  std::size_t bytes = 1;
  if (from.srcMemoryType == CU_MEMORYTYPE_ARRAY) {
    to.srcArray = runtime_array(from.srcArray);
    bytes = element_bytes_of(state, to.srcArray);
    to.srcPos = {from.srcXInBytes / bytes, from.srcY, from.srcZ};
  } else {
    to.srcPtr = pointer_of(from.srcMemoryType, from.srcHost, from.srcDevice, from.srcPitch, from.srcHeight);
    to.srcPos = {from.srcXInBytes, from.srcY, from.srcZ};
  }
  if (from.dstMemoryType == CU_MEMORYTYPE_ARRAY) {
    to.dstArray = runtime_array(from.dstArray);
    bytes = element_bytes_of(state, to.dstArray);
    to.dstPos = {from.dstXInBytes / bytes, from.dstY, from.dstZ};
  } else {
    to.dstPtr = pointer_of(from.dstMemoryType, from.dstHost, from.dstDevice, from.dstPitch, from.dstHeight);
    to.dstPos = {from.dstXInBytes, from.dstY, from.dstZ};
  }
  to.extent = {from.WidthInBytes / bytes, from.Height, from.Depth};
  to.kind = cudaMemcpyDefault;
  return from.WidthInBytes % bytes == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

CUDA_MEMCPY3D driver_box_of(State& state, const cudaMemcpy3DParms& from) {
  CUDA_MEMCPY3D to{};
  const auto address = [](const cudaPitchedPtr& one) { return reinterpret_cast<CUdeviceptr>(one.ptr); };
  std::size_t bytes = 1;
  if (from.srcArray != nullptr) {
    bytes = element_bytes_of(state, from.srcArray);
    to.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    to.srcArray = reinterpret_cast<CUarray>(from.srcArray);
    to.srcXInBytes = from.srcPos.x * bytes;
  } else {
    to.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    to.srcDevice = address(from.srcPtr);
    to.srcXInBytes = from.srcPos.x;
    to.srcPitch = from.srcPtr.pitch, to.srcHeight = from.srcPtr.ysize;
  }
  if (from.dstArray != nullptr) {
    bytes = element_bytes_of(state, from.dstArray);
    to.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    to.dstArray = reinterpret_cast<CUarray>(from.dstArray);
    to.dstXInBytes = from.dstPos.x * bytes;
  } else {
    to.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    to.dstDevice = address(from.dstPtr);
    to.dstXInBytes = from.dstPos.x;
    to.dstPitch = from.dstPtr.pitch, to.dstHeight = from.dstPtr.ysize;
  }
  to.srcY = from.srcPos.y, to.srcZ = from.srcPos.z;
  to.dstY = from.dstPos.y, to.dstZ = from.dstPos.z;
  to.WidthInBytes = from.extent.width * bytes;
  to.Height = from.extent.height, to.Depth = from.extent.depth;
  return to;
}

// Parameters of a node of any kind; `from` gets the values that adding the node returns.
cudaError_t with_parameters(CUgraphNodeParams* from, const std::function<cudaError_t(cudaGraphNodeParams*)>& function) {
  if (from == nullptr) return cudaErrorInvalidValue;
  cudaGraphNodeParams to{};
  static_assert(sizeof to == sizeof *from);
  to.type = static_cast<cudaGraphNodeType>(from->type);
  switch (from->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      const auto one = kernel_of(from->kernel);
      to.kernel = {one.func, one.gridDim, one.blockDim, one.sharedMemBytes, one.kernelParams, one.extra};
      break;
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY: {
      const auto error = with_state(
          [&](State& state) { return read_driver_box(state, from->memcpy.copyParams, to.memcpy.copyParams); });
      if (error != cudaSuccess) return error;
      break;
    }
    case CU_GRAPH_NODE_TYPE_MEMSET: {
      const auto one = fill_of(from->memset);
      to.memset.dst = one.dst, to.memset.pitch = one.pitch, to.memset.value = one.value;
      to.memset.elementSize = one.elementSize, to.memset.width = one.width, to.memset.height = one.height;
      break;
    }
    case CU_GRAPH_NODE_TYPE_HOST: to.host = {from->host.fn, from->host.userData}; break;
    case CU_GRAPH_NODE_TYPE_GRAPH: to.graph.graph = from->graph.graph; break;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: to.eventWait.event = from->eventWait.event; break;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: to.eventRecord.event = from->eventRecord.event; break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      static_assert(sizeof to.alloc == sizeof from->alloc);
      std::memcpy(&to.alloc, &from->alloc, sizeof to.alloc);
      break;
    case CU_GRAPH_NODE_TYPE_MEM_FREE: to.free.dptr = pointer(from->free.dptr); break;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      to.conditional.handle = from->conditional.handle;
      to.conditional.type = static_cast<cudaGraphConditionalNodeType>(from->conditional.type);
      to.conditional.size = from->conditional.size;
      break;
    default: break;
  }
  const auto error = function(&to);
  if (error != cudaSuccess) return error;
  if (from->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) from->alloc.dptr = reinterpret_cast<CUdeviceptr>(to.alloc.dptr);
  if (from->type == CU_GRAPH_NODE_TYPE_CONDITIONAL) from->conditional.phGraph_out = to.conditional.phGraph_out;
  return cudaSuccess;
}

// Words to write and to wait for, for which the CUDA Runtime has no parameters.
std::optional<CUDA_BATCH_MEM_OP_NODE_PARAMS> words_of(const CUgraphNodeParams* from) {
  if (from == nullptr || from->type != CU_GRAPH_NODE_TYPE_BATCH_MEM_OP) return std::nullopt;
  const auto& one = from->memOp;
  return CUDA_BATCH_MEM_OP_NODE_PARAMS{one.ctx, one.count, one.paramArray, one.flags};
}

template <class From, class Function> CUresult with_kernel(const From* from, const Function& function) {
  return after_init([&] {
    if (from == nullptr) return cudaErrorInvalidValue;
    const auto kernel = kernel_of(*from);
    return function(&kernel);
  });
}
template <class To> CUresult give_kernel(CUgraphNode node, To* to) {
  return after_init([&] {
    cudaKernelNodeParams kernel{};
    const auto error = runtime::cudaGraphKernelNodeGetParams(node, &kernel);
    return error == cudaSuccess ? give(to, driver_kernel_of<To>(kernel)) : error;
  });
}
template <class Function> CUresult with_box(const CUDA_MEMCPY3D* from, const Function& function) {
  return after_init([&] {
    cudaMemcpy3DParms box{};
    if (from == nullptr) return cudaErrorInvalidValue;
    const auto error = with_state([&](State& state) { return read_driver_box(state, *from, box); });
    return error == cudaSuccess ? function(&box) : error;
  });
}
template <class Function> CUresult with_fill(const CUDA_MEMSET_NODE_PARAMS* from, const Function& function) {
  return after_init([&] {
    if (from == nullptr) return cudaErrorInvalidValue;
    const auto fill = fill_of(*from);
    return function(&fill);
  });
}
template <class Function> CUresult with_host(const CUDA_HOST_NODE_PARAMS* from, const Function& function) {
  return after_init([&] {
    if (from == nullptr) return cudaErrorInvalidValue;
    const cudaHostNodeParams host{from->fn, from->userData};
    return function(&host);
  });
}

}  // namespace

CUresult cuGraphAddKernelNode_v2(CUgraphNode* to, CUgraph graph, const CUgraphNode* after, std::size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS* from) {
  return with_kernel(from, [&](auto* one) { return runtime::cudaGraphAddKernelNode(to, graph, after, count, one); });
}
CUresult cuGraphAddKernelNode(CUgraphNode* to, CUgraph graph, const CUgraphNode* after, std::size_t count,
                              const CUDA_KERNEL_NODE_PARAMS_v1* from) {
  return with_kernel(from, [&](auto* one) { return runtime::cudaGraphAddKernelNode(to, graph, after, count, one); });
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* to) { return give_kernel(node, to); }
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1* to) { return give_kernel(node, to); }
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* from) {
  return with_kernel(from, [&](auto* one) { return runtime::cudaGraphKernelNodeSetParams(node, one); });
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1* from) {
  return with_kernel(from, [&](auto* one) { return runtime::cudaGraphKernelNodeSetParams(node, one); });
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec graph, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* from) {
  return with_kernel(from, [&](auto* one) { return runtime::cudaGraphExecKernelNodeSetParams(graph, node, one); });
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec graph, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1* from) {
  return with_kernel(from, [&](auto* one) { return runtime::cudaGraphExecKernelNodeSetParams(graph, node, one); });
}
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  return after_init([&] { return runtime::cudaGraphKernelNodeCopyAttributes(to, from); });
}
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUlaunchAttributeID id, CUlaunchAttributeValue* to) {
  return after_init([&] {
    return runtime::cudaGraphKernelNodeGetAttribute(node, static_cast<cudaLaunchAttributeID>(id),
                                                    reinterpret_cast<cudaLaunchAttributeValue*>(to));
  });
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUlaunchAttributeID id, const CUlaunchAttributeValue* value) {
  return after_init([&] {
    return runtime::cudaGraphKernelNodeSetAttribute(node, static_cast<cudaLaunchAttributeID>(id),
                                                    reinterpret_cast<const cudaLaunchAttributeValue*>(value));
  });
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* to, CUgraph graph, const CUgraphNode* after, std::size_t count,
                              const CUDA_MEMCPY3D* from, CUcontext) {
  return with_box(from, [&](auto* one) { return runtime::cudaGraphAddMemcpyNode(to, graph, after, count, one); });
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* to) {
  return after_init([&] {
    cudaMemcpy3DParms box{};
    if (const auto error = runtime::cudaGraphMemcpyNodeGetParams(node, &box); error != cudaSuccess) return error;
    return with_state([&](State& state) { return give(to, driver_box_of(state, box)); });
  });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* from) {
  return with_box(from, [&](auto* one) { return runtime::cudaGraphMemcpyNodeSetParams(node, one); });
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec graph, CUgraphNode node, const CUDA_MEMCPY3D* from, CUcontext) {
  return with_box(from, [&](auto* one) { return runtime::cudaGraphExecMemcpyNodeSetParams(graph, node, one); });
}

CUresult cuGraphAddMemsetNode(CUgraphNode* to, CUgraph graph, const CUgraphNode* after, std::size_t count,
                              const CUDA_MEMSET_NODE_PARAMS* from, CUcontext) {
  return with_fill(from, [&](auto* one) { return runtime::cudaGraphAddMemsetNode(to, graph, after, count, one); });
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* to) {
  return after_init([&] {
    cudaMemsetParams one{};
    if (const auto error = runtime::cudaGraphMemsetNodeGetParams(node, &one); error != cudaSuccess) return error;
    return give(to, CUDA_MEMSET_NODE_PARAMS{reinterpret_cast<CUdeviceptr>(one.dst), one.pitch, one.value,
                                            one.elementSize, one.width, one.height});
  });
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* from) {
  return with_fill(from, [&](auto* one) { return runtime::cudaGraphMemsetNodeSetParams(node, one); });
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec graph, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* from,
                                        CUcontext) {
  return with_fill(from, [&](auto* one) { return runtime::cudaGraphExecMemsetNodeSetParams(graph, node, one); });
}

CUresult cuGraphAddHostNode(CUgraphNode* to, CUgraph graph, const CUgraphNode* after, std::size_t count,
                            const CUDA_HOST_NODE_PARAMS* from) {
  return with_host(from, [&](auto* one) { return runtime::cudaGraphAddHostNode(to, graph, after, count, one); });
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* to) {
  return after_init([&] {
    cudaHostNodeParams host{};
    if (const auto error = runtime::cudaGraphHostNodeGetParams(node, &host); error != cudaSuccess) return error;
    return give(to, CUDA_HOST_NODE_PARAMS{host.fn, host.userData});
  });
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* from) {
  return with_host(from, [&](auto* one) { return runtime::cudaGraphHostNodeSetParams(node, one); });
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec graph, CUgraphNode node, const CUDA_HOST_NODE_PARAMS* from) {
  return with_host(from, [&](auto* one) { return runtime::cudaGraphExecHostNodeSetParams(graph, node, one); });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* to, CUgraph graph, const CUgraphNode* after, std::size_t count,
                                  CUgraph child) {
  return after_init([&] { return runtime::cudaGraphAddChildGraphNode(to, graph, after, count, child); });
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* to) {
  return after_init([&] { return runtime::cudaGraphChildGraphNodeGetGraph(node, to); });
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec graph, CUgraphNode node, CUgraph child) {
  return after_init([&] { return runtime::cudaGraphExecChildGraphNodeSetParams(graph, node, child); });
}
CUresult cuGraphAddEmptyNode(CUgraphNode* to, CUgraph graph, const CUgraphNode* after, std::size_t count) {
  return after_init([&] { return runtime::cudaGraphAddEmptyNode(to, graph, after, count); });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* to, CUgraph graph, const CUgraphNode* after, std::size_t count,
                                   CUevent event) {
  return after_init([&] { return runtime::cudaGraphAddEventRecordNode(to, graph, after, count, event); });
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* to) {
  return after_init([&] { return runtime::cudaGraphEventRecordNodeGetEvent(node, to); });
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return after_init([&] { return runtime::cudaGraphEventRecordNodeSetEvent(node, event); });
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec graph, CUgraphNode node, CUevent event) {
  return after_init([&] { return runtime::cudaGraphExecEventRecordNodeSetEvent(graph, node, event); });
}
CUresult cuGraphAddEventWaitNode(CUgraphNode* to, CUgraph graph, const CUgraphNode* after, std::size_t count,
                                 CUevent event) {
  return after_init([&] { return runtime::cudaGraphAddEventWaitNode(to, graph, after, count, event); });
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* to) {
  return after_init([&] { return runtime::cudaGraphEventWaitNodeGetEvent(node, to); });
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return after_init([&] { return runtime::cudaGraphEventWaitNodeSetEvent(node, event); });
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec graph, CUgraphNode node, CUevent event) {
  return after_init([&] { return runtime::cudaGraphExecEventWaitNodeSetEvent(graph, node, event); });
}

CUresult cuGraphAddMemAllocNode(CUgraphNode* to, CUgraph graph, const CUgraphNode* after, std::size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS* from) {
  static_assert(sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) == sizeof(cudaMemAllocNodeParams));
  return after_init([&] {
    return runtime::cudaGraphAddMemAllocNode(to, graph, after, count, reinterpret_cast<cudaMemAllocNodeParams*>(from));
  });
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS* to) {
  return after_init(
      [&] { return runtime::cudaGraphMemAllocNodeGetParams(node, reinterpret_cast<cudaMemAllocNodeParams*>(to)); });
}
CUresult cuGraphAddMemFreeNode(CUgraphNode* to, CUgraph graph, const CUgraphNode* after, std::size_t count,
                               CUdeviceptr address) {
  return after_init([&] { return runtime::cudaGraphAddMemFreeNode(to, graph, after, count, pointer(address)); });
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr* to) {
  return after_init([&] { return runtime::cudaGraphMemFreeNodeGetParams(node, to); });
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* to, CUgraph graph, CUcontext, unsigned value,
                                        unsigned flags) {
  return after_init([&] {
    return runtime::cudaGraphConditionalHandleCreate(reinterpret_cast<cudaGraphConditionalHandle*>(to), graph, value,
                                                     flags);
  });
}

CUresult cuGraphAddNode_v2(CUgraphNode* to, CUgraph graph, const CUgraphNode* after, const CUgraphEdgeData* edges,
                           std::size_t count, CUgraphNodeParams* from) {
  if (const auto words = words_of(from))
    return add_word_node(to, graph, {after, count, reinterpret_cast<const cudaGraphEdgeData*>(edges)}, &*words);
  return after_init([&] {
    return with_parameters(from, [&](auto* one) {
      return runtime::cudaGraphAddNode(to, graph, after, reinterpret_cast<const cudaGraphEdgeData*>(edges), count, one);
    });
  });
}
CUresult cuGraphAddNode(CUgraphNode* to, CUgraph graph, const CUgraphNode* after, std::size_t count,
                        CUgraphNodeParams* from) {
  return driver::cuGraphAddNode_v2(to, graph, after, nullptr, count, from);
}
CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* from) {
  if (const auto words = words_of(from)) return driver::cuGraphBatchMemOpNodeSetParams(node, &*words);
  return after_init(
      [&] { return with_parameters(from, [&](auto* one) { return runtime::cudaGraphNodeSetParams(node, one); }); });
}
CUresult cuGraphExecNodeSetParams(CUgraphExec graph, CUgraphNode node, CUgraphNodeParams* from) {
  if (const auto words = words_of(from)) return driver::cuGraphExecBatchMemOpNodeSetParams(graph, node, &*words);
  return after_init([&] {
    return with_parameters(from, [&](auto* one) { return runtime::cudaGraphExecNodeSetParams(graph, node, one); });
  });
}
CUresult cuGraphNodeSetEnabled(CUgraphExec graph, CUgraphNode node, unsigned enabled) {
  return after_init([&] { return runtime::cudaGraphNodeSetEnabled(graph, node, enabled); });
}
CUresult cuGraphNodeGetEnabled(CUgraphExec graph, CUgraphNode node, unsigned* enabled) {
  return after_init([&] { return runtime::cudaGraphNodeGetEnabled(graph, node, enabled); });
}

}  // namespace xcuda::runtime::driver
