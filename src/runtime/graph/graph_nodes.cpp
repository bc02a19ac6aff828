// Nodes of each kind: added, read, changed in a graph and in an executable graph.
#include <memory>
#include <utility>

#include "runtime/api.hpp"
#include "runtime/graph/graph_calls.hpp"
#include "runtime/graph/graph_memory.hpp"
#include "runtime/graph/graph_works.hpp"
#include "runtime/kernels.hpp"

namespace xcuda::runtime {
namespace {

cudaError_t set_work_of(State& state, Node& node, const std::function<cudaError_t(State&, Work&)>& make) {
  Work work = node.work;
  if (const auto error = make(state, work); error != cudaSuccess) return error;
  if (work.index() != node.work.index()) return cudaErrorInvalidValue;
  node.work = std::move(work);
  return cudaSuccess;
}

template <class To, class From> cudaError_t give_value(To* to, const From& from) {
  if (to == nullptr) return cudaErrorInvalidValue;
  *to = from;
  return cudaSuccess;
}

// A copy of bytes in a row.
auto row(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return [=](State& state, Work& work) {
    return read_copy(state, Copy{.to = {to}, .from = {from}, .width = bytes, .kind = kind}, work);
  };
}
auto symbol_copy(const Part& part, const void* other, cudaMemcpyKind kind, Direction direction) {
  return [=](State& state, Work& work) { return read_symbol_copy(state, part, other, kind, direction, work); };
}
auto kernel(const cudaKernelNodeParams* from) {
  return [from](State& state, Work& work) { return read_kernel(state, from, work); };
}
auto box(const cudaMemcpy3DParms* from) {
  return [from](State& state, Work& work) { return read_copy(state, from, work); };
}
auto filling(const cudaMemsetParams* from) {
  return [from](State& state, Work& work) { return read_fill(state, from, work); };
}
auto host(const cudaHostNodeParams* from) {
  return [from](State&, Work& work) { return read_host(from, work); };
}
template <class Kind> auto event_of(cudaEvent_t event) {
  return [event](State& state, Work& work) { return read_event<Kind>(state, event, work); };
}
auto any(cudaGraphNodeParams* from) {
  return [from](State& state, Work& work) { return read_parameters(state, from, work); };
}

// What a node keeps of its memory and its bodies cannot be set anew.
bool can_be_set(const cudaGraphNodeParams* from) {
  return from != nullptr && from->type != cudaGraphNodeTypeMemAlloc && from->type != cudaGraphNodeTypeMemFree &&
         from->type != cudaGraphNodeTypeConditional && from->type != cudaGraphNodeTypeEmpty;
}

}  // namespace

cudaError_t add_node(cudaGraphNode_t* to, cudaGraph_t graph, const Dependencies& after,
                     const std::function<cudaError_t(State&, Work&)>& make) {
  return with_graph(graph, [&](State& state, Graph& found) {
    if (to == nullptr) return cudaErrorInvalidValue;
    std::vector<Node*> nodes;
    if (const auto error = read_dependencies(state, found, after, nodes); error != cudaSuccess) return error;
    Work work = EmptyWork{};
    if (const auto error = make(state, work); error != cudaSuccess) return error;
    if (!found.takes(work)) return cudaErrorNotSupported;
    *to = handle_of(&found.add(std::move(work), nodes));
    return cudaSuccess;
  });
}

cudaError_t set_work(cudaGraphNode_t node, const std::function<cudaError_t(State&, Work&)>& make) {
  return with_node(node, [&](State& state, Node& found) { return set_work_of(state, found, make); });
}
cudaError_t set_work(cudaGraphExec_t graph, cudaGraphNode_t node,
                     const std::function<cudaError_t(State&, Work&)>& make) {
  return with_node_of(graph, node, [&](State& state, Node& found) { return set_work_of(state, found, make); });
}

// --- Kernels ---------------------------------------------------------------------------------------------------------

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaKernelNodeParams* from) {
  return add_node(to, graph, {after, count}, kernel(from));
}
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* to) {
  return with_work<KernelWork>(node, [&](State&, KernelWork& work) {
    if (to == nullptr) return cudaErrorInvalidValue;
    write_kernel(work, *to);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* from) {
  return set_work(node, kernel(from));
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* from) {
  return set_work(graph, node, kernel(from));
}
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue* value) {
  return with_work<KernelWork>(node, [&](State&, KernelWork& work) {
    if (value == nullptr) return cudaErrorInvalidValue;
    LaunchCall call;
    const cudaLaunchAttribute attribute{.id = id, .val = *value};
    if (const auto error = read_attributes(&attribute, 1, call); error != cudaSuccess) return error;
    if (id == cudaLaunchAttributeCooperative) work.request.mode = call.mode;
    work.attributes[id] = *value;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue* value) {
  return with_work<KernelWork>(node, [&](State&, KernelWork& work) {
    if (value == nullptr) return cudaErrorInvalidValue;
    const auto found = work.attributes.find(id);
    *value = found == work.attributes.end() ? cudaLaunchAttributeValue{} : found->second;
    if (id == cudaLaunchAttributeCooperative)
      value->cooperative = work.request.mode == device::LaunchMode::cooperative ? 1 : 0;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  return with_work<KernelWork>(to, [&](State& state, KernelWork& work) {
    Node* other = state.graph_table.find(from);
    const auto* one = other == nullptr ? nullptr : std::get_if<KernelWork>(&other->work);
    if (one == nullptr) return cudaErrorInvalidValue;
    work.attributes = one->attributes;
    work.request.mode = one->request.mode;
    return cudaSuccess;
  });
}

// --- Copies and fills ------------------------------------------------------------------------------------------------

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemcpy3DParms* from) {
  return add_node(to, graph, {after, count}, box(from));
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     std::size_t count, void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  return add_node(node, graph, {after, count}, row(to, from, bytes, kind));
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                           std::size_t count, const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind) {
  return add_node(node, graph, {after, count}, symbol_copy({symbol, bytes, offset}, from, kind, Direction::to_symbol));
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                             std::size_t count, void* to, const void* symbol, std::size_t bytes,
                                             std::size_t offset, cudaMemcpyKind kind) {
  return add_node(node, graph, {after, count}, symbol_copy({symbol, bytes, offset}, to, kind, Direction::from_symbol));
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* to) {
  return with_work<CopyWork>(node, [&](State&, CopyWork& work) { return give_value(to, work.parameters); });
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* from) {
  return set_work(node, box(from));
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, std::size_t bytes,
                                           cudaMemcpyKind kind) {
  return set_work(node, row(to, from, bytes, kind));
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol, const void* from,
                                                 std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  return set_work(node, symbol_copy({symbol, bytes, offset}, from, kind, Direction::to_symbol));
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to, const void* symbol,
                                                   std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  return set_work(node, symbol_copy({symbol, bytes, offset}, to, kind, Direction::from_symbol));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* from) {
  return set_work(graph, node, box(from));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t graph, cudaGraphNode_t node, void* to, const void* from,
                                               std::size_t bytes, cudaMemcpyKind kind) {
  return set_work(graph, node, row(to, from, bytes, kind));
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t graph, cudaGraphNode_t node, const void* symbol,
                                                     const void* from, std::size_t bytes, std::size_t offset,
                                                     cudaMemcpyKind kind) {
  return set_work(graph, node, symbol_copy({symbol, bytes, offset}, from, kind, Direction::to_symbol));
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t graph, cudaGraphNode_t node, void* to,
                                                       const void* symbol, std::size_t bytes, std::size_t offset,
                                                       cudaMemcpyKind kind) {
  return set_work(graph, node, symbol_copy({symbol, bytes, offset}, to, kind, Direction::from_symbol));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemsetParams* from) {
  return add_node(to, graph, {after, count}, filling(from));
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* to) {
  return with_work<Fill>(node, [&](State&, Fill& work) {
    if (to == nullptr) return cudaErrorInvalidValue;
    write_fill(work, *to);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* from) {
  return set_work(node, filling(from));
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node,
                                             const cudaMemsetParams* from) {
  return set_work(graph, node, filling(from));
}

// --- Functions of the host, graphs within, events --------------------------------------------------------------------

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
                                 std::size_t count, const cudaHostNodeParams* from) {
  return add_node(to, graph, {after, count}, host(from));
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* to) {
  return with_work<HostWork>(node, [&](State&, HostWork& work) {
    return give_value(to, cudaHostNodeParams{work.function, work.data});
  });
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* from) {
  return set_work(node, host(from));
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node,
                                           const cudaHostNodeParams* from) {
  return set_work(graph, node, host(from));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
                                       std::size_t count, cudaGraph_t child) {
  return add_node(to, graph, {after, count}, [&](State& state, Work& work) { return read_child(state, child, work); });
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* to) {
  return with_work<ChildWork>(node,
                              [&](State&, ChildWork& work) { return give_value(to, handle_of(work.graph.get())); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  std::size_t count) {
  return add_node(to, graph, {after, count}, [](State&, Work&) { return cudaSuccess; });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
                                        std::size_t count, cudaEvent_t event) {
  return add_node(to, graph, {after, count}, event_of<RecordWork>(event));
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* to) {
  return with_work<RecordWork>(node, [&](State&, RecordWork& work) { return give_value(to, work.event); });
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set_work(node, event_of<RecordWork>(event));
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t graph, cudaGraphNode_t node, cudaEvent_t event) {
  return set_work(graph, node, event_of<RecordWork>(event));
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
                                      std::size_t count, cudaEvent_t event) {
  return add_node(to, graph, {after, count}, event_of<WaitWork>(event));
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* to) {
  return with_work<WaitWork>(node, [&](State&, WaitWork& work) { return give_value(to, work.event); });
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set_work(node, event_of<WaitWork>(event));
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t graph, cudaGraphNode_t node, cudaEvent_t event) {
  return set_work(graph, node, event_of<WaitWork>(event));
}

// --- Memory and conditions -------------------------------------------------------------------------------------------

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     std::size_t count, cudaMemAllocNodeParams* from) {
  return add_node(to, graph, {after, count}, [&](State& state, Work& work) {
    if (from == nullptr) return cudaErrorInvalidValue;
    const auto error = read_allocation(state, from->poolProps, from->bytesize, work);
    if (error == cudaSuccess) from->dptr = std::get<AllocateWork>(work).memory->address;
    return error;
  });
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* to) {
  return with_work<AllocateWork>(node, [&](State&, AllocateWork& work) {
    cudaMemAllocNodeParams parameters{};
    parameters.poolProps = work.pool;
    parameters.bytesize = work.memory->size;
    parameters.dptr = work.memory->address;
    return give_value(to, parameters);
  });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
                                    std::size_t count, void* address) {
  return add_node(to, graph, {after, count}, [&](State& state, Work& work) { return read_free(state, address, work); });
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* to) {
  return with_work<FreeWork>(node,
                             [&](State&, FreeWork& work) { return give_value(static_cast<void**>(to), work.address); });
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* to, cudaGraph_t graph, unsigned value,
                                             unsigned flags) {
  return with_graph(graph, [&](State& state, Graph& found) {
    if (to == nullptr || flags > cudaGraphCondAssignDefault) return cudaErrorInvalidValue;
    Condition condition{make_condition(state), value, flags == cudaGraphCondAssignDefault};
    *static_cast<unsigned*>(condition.word->address) = value;
    *to = reinterpret_cast<cudaGraphConditionalHandle>(condition.word->address);
    found.conditions.push_back(std::move(condition));
    return cudaSuccess;
  });
}

// --- Of any kind -----------------------------------------------------------------------------------------------------

cudaError_t cudaGraphAddNode(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData* edges, std::size_t count, cudaGraphNodeParams* from) {
  return add_node(to, graph, {after, count, edges}, any(from));
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* from) {
  return can_be_set(from) ? set_work(node, any(from)) : set_last(cudaErrorInvalidValue);
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, cudaGraphNodeParams* from) {
  if (!can_be_set(from)) return set_last(cudaErrorInvalidValue);
  return from->type == cudaGraphNodeTypeGraph
             ? runtime::cudaGraphExecChildGraphNodeSetParams(graph, node, from->graph.graph)
             : set_work(graph, node, any(from));
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t graph, cudaGraphNode_t node, unsigned enabled) {
  return with_node_of(graph, node, [&](State&, Node& found) {
    const auto type = type_of(found.work);
    if (type != cudaGraphNodeTypeKernel && type != cudaGraphNodeTypeMemset && type != cudaGraphNodeTypeMemcpy)
      return cudaErrorInvalidValue;
    found.enabled = enabled != 0;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t graph, cudaGraphNode_t node, unsigned* enabled) {
  return with_node_of(graph, node, [&](State&, Node& found) { return give_value(enabled, found.enabled ? 1u : 0u); });
}

}  // namespace xcuda::runtime
