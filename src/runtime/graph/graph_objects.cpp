// Graphs as a whole: made, copied, instantiated, brought up to date, launched.
#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/graph/graph_calls.hpp"
#include "runtime/graph/graph_launch.hpp"
#include "runtime/graph/graph_memory.hpp"

namespace xcuda::runtime {
namespace {

// Executable graphs keep their nodes in the order in which they run. False: a circle.
bool put_in_order(Graph& graph) {
  const auto order = graph.in_order();
  if (order.size() != graph.nodes.size()) return false;
  std::map<const Node*, std::size_t> place;
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  graph.nodes.sort([&](const auto& a, const auto& b) { return place[a.get()] < place[b.get()]; });
  return std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) {
    if (const auto* child = std::get_if<ChildWork>(&node->work)) return put_in_order(*child->graph);
    const auto* conditional = std::get_if<ConditionalWork>(&node->work);
    return conditional == nullptr || std::all_of(conditional->bodies.begin(), conditional->bodies.end(),
                                                 [](const auto& body) { return put_in_order(*body); });
  });
}

void find_originals(const Graph& graph, std::map<std::uint64_t, Node*>& nodes) {
  for (const auto& node : graph.nodes) {
    nodes[node->original] = node.get();
    if (const auto* child = std::get_if<ChildWork>(&node->work)) find_originals(*child->graph, nodes);
    if (const auto* conditional = std::get_if<ConditionalWork>(&node->work))
      for (const auto& body : conditional->bodies) find_originals(*body, nodes);
  }
}

cudaError_t instantiate(State& state, cudaGraphExec_t* to, cudaGraph_t graph, unsigned long long flags) {
  constexpr unsigned long long kKnown = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
                                        cudaGraphInstantiateFlagUseNodePriority;
  const auto* found = state.graph_table.find(graph);
  if (to == nullptr || found == nullptr) return cudaErrorInvalidValue;
  if (flags & cudaGraphInstantiateFlagDeviceLaunch) return cudaErrorNotSupported;  // launches by kernels
  if (flags & ~kKnown) return cudaErrorInvalidValue;
  auto made = std::make_unique<Executable>();
  made->graph = copy_of(*found);
  made->flags = flags;
  if (!put_in_order(*made->graph)) return cudaErrorInvalidValue;
  find_originals(*made->graph, made->nodes);
  retain_objects(state, *made->graph, *found);
  const std::lock_guard lock(state.mutex);
  *to = reinterpret_cast<cudaGraphExec_t>(made.get());
  state.executables.emplace(*to, std::move(made));
  return cudaSuccess;
}

std::vector<Node*> by_age(const Graph& graph) {
  std::vector<Node*> nodes;
  for (const auto& node : graph.nodes) nodes.push_back(node.get());
  std::sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) { return a->original < b->original; });
  return nodes;
}

// What differs, and where in `from`: nodes correspond by the order in which they were added.
struct Difference {
  cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
  const Node *node = nullptr, *before = nullptr;
};
Difference difference_of(const Graph& to, const Graph& from) {
  const auto own = by_age(to), others = by_age(from);
  if (own.size() != others.size()) return {cudaGraphExecUpdateErrorTopologyChanged};
  std::map<const Node*, const Node*> counterpart;
  for (std::size_t i = 0; i < own.size(); ++i) counterpart[others[i]] = own[i];
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i]->work.index() != others[i]->work.index()) return {cudaGraphExecUpdateErrorNodeTypeChanged, others[i]};
    if (own[i]->after.size() != others[i]->after.size()) return {cudaGraphExecUpdateErrorTopologyChanged, others[i]};
    for (const Node* before : others[i]->after)
      if (std::find(own[i]->after.begin(), own[i]->after.end(), counterpart[before]) == own[i]->after.end())
        return {cudaGraphExecUpdateErrorTopologyChanged, others[i], before};
    if (const auto* child = std::get_if<ChildWork>(&own[i]->work)) {
      const auto within = difference_of(*child->graph, *std::get<ChildWork>(others[i]->work).graph);
      if (within.result != cudaGraphExecUpdateSuccess) return within;
    }
    if (const auto* own_one = std::get_if<AllocateWork>(&own[i]->work);
        own_one && own_one->memory->size != std::get<AllocateWork>(others[i]->work).memory->size)
      return {cudaGraphExecUpdateErrorParametersChanged, others[i]};
    if (const auto* words = std::get_if<WordsWork>(&own[i]->work);
        words && !driver::has_same_operations(*words->parameters, *std::get<WordsWork>(others[i]->work).parameters))
      return {cudaGraphExecUpdateErrorParametersChanged, others[i]};
    const auto* conditional = std::get_if<ConditionalWork>(&own[i]->work);
    if (conditional == nullptr) continue;
    const auto& other = std::get<ConditionalWork>(others[i]->work);
    if (conditional->handle != other.handle || conditional->type != other.type ||
        conditional->bodies.size() != other.bodies.size())
      return {cudaGraphExecUpdateErrorParametersChanged, others[i]};
    for (std::size_t k = 0; k < other.bodies.size(); ++k) {
      const auto within = difference_of(*conditional->bodies[k], *other.bodies[k]);
      if (within.result != cudaGraphExecUpdateSuccess) return within;
    }
  }
  return {};
}

void take_work(Graph& to, const Graph& from) {
  const auto own = by_age(to), others = by_age(from);
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (auto* child = std::get_if<ChildWork>(&own[i]->work)) {
      take_work(*child->graph, *std::get<ChildWork>(others[i]->work).graph);
    } else if (auto* conditional = std::get_if<ConditionalWork>(&own[i]->work)) {
      const auto& other = std::get<ConditionalWork>(others[i]->work);
      for (std::size_t k = 0; k < other.bodies.size(); ++k) take_work(*conditional->bodies[k], *other.bodies[k]);
    } else if (!std::holds_alternative<AllocateWork>(own[i]->work) && !std::holds_alternative<FreeWork>(own[i]->work)) {
      own[i]->work = others[i]->work;
    }
  }
}

}  // namespace

cudaError_t with_graph(cudaGraph_t graph, const std::function<cudaError_t(State&, Graph&)>& function) {
  return with_state([&](State& state) {
    Graph* found = state.graph_table.find(graph);
    return found == nullptr ? cudaErrorInvalidValue : function(state, *found);
  });
}

cudaError_t with_executable(cudaGraphExec_t graph, const std::function<cudaError_t(State&, Executable&)>& function) {
  return with_state([&](State& state) {
    Executable* found = nullptr;
    {
      const std::lock_guard lock(state.mutex);
      const auto at = state.executables.find(graph);
      if (at != state.executables.end()) found = at->second.get();
    }
    return found == nullptr ? cudaErrorInvalidValue : function(state, *found);
  });
}

cudaGraph_t keep(State& state, std::shared_ptr<Graph> graph) {
  const std::lock_guard lock(state.mutex);
  const auto handle = handle_of(graph.get());
  state.graphs.emplace(handle, std::move(graph));
  return handle;
}

cudaError_t cudaGraphCreate(cudaGraph_t* to, unsigned flags) {
  return with_state([&](State& state) {
    if (to == nullptr || flags != 0) return cudaErrorInvalidValue;
    *to = keep(state, std::make_shared<Graph>(state.graph_table));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t* to, cudaGraph_t graph) {
  return with_graph(graph, [&](State& state, Graph& found) {
    if (to == nullptr) return cudaErrorInvalidValue;
    auto copy = copy_of(found);
    copy->is_body = false;
    retain_objects(state, *copy, found);
    *to = keep(state, std::move(copy));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* to, cudaGraphNode_t original, cudaGraph_t clone) {
  return with_graph(clone, [&](State& state, Graph& found) {
    const Node* node = state.graph_table.find(original);
    if (to == nullptr || node == nullptr) return cudaErrorInvalidValue;
    std::map<std::uint64_t, Node*> nodes;
    find_originals(found, nodes);
    const auto at = nodes.find(node->original);
    if (at == nodes.end()) return cudaErrorInvalidValue;
    *to = handle_of(at->second);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* to, cudaGraph_t graph, unsigned long long flags) {
  return with_state([&](State& state) { return instantiate(state, to, graph, flags); });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* to, cudaGraph_t graph, unsigned long long flags) {
  return runtime::cudaGraphInstantiateWithFlags(to, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* to, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
  return with_state([&](State& state) {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    const auto error = instantiate(state, to, graph, parameters->flags);
    parameters->errNode_out = nullptr;
    parameters->result_out = error == cudaSuccess             ? cudaGraphInstantiateSuccess
                             : error == cudaErrorNotSupported ? cudaGraphInstantiateNodeOperationNotSupported
                                                              : cudaGraphInstantiateInvalidStructure;
    return error;
  });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graph, unsigned long long* flags) {
  return with_executable(graph, [&](State&, Executable& found) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = found.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* result) {
  return with_executable(executable, [&](State& state, Executable& found) {
    const Graph* from = state.graph_table.find(graph);
    if (from == nullptr) return cudaErrorInvalidValue;
    const auto difference = difference_of(*found.graph, *from);
    if (result != nullptr) *result = {difference.result, handle_of(difference.node), handle_of(difference.before)};
    if (difference.result != cudaGraphExecUpdateSuccess) return cudaErrorGraphExecUpdateFailure;
    take_work(*found.graph, *from);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node, cudaGraph_t child) {
  return with_node_of(executable, node, [&](State& state, Node& found) {
    const Graph* from = state.graph_table.find(child);
    const auto* own = std::get_if<ChildWork>(&found.work);
    if (from == nullptr || own == nullptr) return cudaErrorInvalidValue;
    if (difference_of(*own->graph, *from).result != cudaGraphExecUpdateSuccess) return cudaErrorInvalidValue;
    take_work(*own->graph, *from);
    return cudaSuccess;
  });
}

// Work that waits until it may begin: there is nothing to upload.
cudaError_t cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t stream) {
  return with_executable(graph, [&](State& state, Executable&) {
    return state.find_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  return with_executable(graph, [&](State& state, Executable& found) {
    Stream* on = state.find_stream(stream);
    return on == nullptr ? cudaErrorInvalidResourceHandle : launch(state, found, *on);
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  return with_executable(graph, [&](State& state, Executable& found) {
    release_objects(state, *found.graph);
    const std::lock_guard lock(state.mutex);
    state.executables.erase(graph);
    give_back_graph_memory(state);
    return cudaSuccess;
  });
}

// Not of one that belongs to a node.
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return with_graph(graph, [&](State& state, Graph& found) {
    {
      const std::lock_guard lock(state.mutex);
      if (!state.graphs.contains(graph)) return cudaErrorInvalidValue;
    }
    release_objects(state, found);
    const std::lock_guard lock(state.mutex);
    state.graphs.erase(graph);
    give_back_graph_memory(state);
    return cudaSuccess;
  });
}

}  // namespace xcuda::runtime
