// The parts of a graph: its nodes and their dependencies.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "base/demangle.hpp"
#include "runtime/api.hpp"
#include "runtime/graph/graph_calls.hpp"

namespace xcuda::runtime {
namespace {

struct Edge {
  const Node *from, *to;
};

std::vector<Edge> edges_of(const Graph& graph) {
  std::vector<Edge> edges;
  for (const auto& node : graph.nodes)
    for (const Node* before : node->after) edges.push_back({before, node.get()});
  return edges;
}

// As many as there is room for, the rest of the room null; without room, how many there are.
cudaError_t give_nodes(const std::vector<const Node*>& found, cudaGraphNode_t* to, cudaGraphEdgeData* edges,
                       std::size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (to == nullptr) {
    *count = found.size();
    return edges == nullptr ? cudaSuccess : cudaErrorInvalidValue;
  }
  for (std::size_t i = 0; i < *count; ++i) {
    to[i] = i < found.size() ? handle_of(found[i]) : nullptr;
    if (edges != nullptr) edges[i] = {};
  }
  *count = std::min(*count, found.size());
  return cudaSuccess;
}

bool is_plain(const cudaGraphEdgeData& edge) { return edge.from_port == 0 && edge.to_port == 0 && edge.type == 0; }

// Both ends in the graph, for each edge.
cudaError_t for_edges(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count,
                      const std::function<cudaError_t(Node&, Node&)>& function) {
  return with_graph(graph, [&](State& state, Graph& found) {
    if (count > 0 && (from == nullptr || to == nullptr)) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      Node *before = state.graph_table.find(from[i]), *then = state.graph_table.find(to[i]);
      if (before == nullptr || then == nullptr || before->graph != &found || then->graph != &found || before == then)
        return cudaErrorInvalidValue;
      if (const auto error = function(*before, *then); error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}

struct Label {
  std::string operator()(const KernelWork& work) const {
    const auto &grid = work.request.grid, &block = work.request.block;
    return fmt::format("{}\\n<<<({}, {}, {}), ({}, {}, {}), {}>>>", demangled(work.request.entry), grid.x, grid.y,
                       grid.z, block.x, block.y, block.z, work.request.dynamic_shared);
  }
  std::string operator()(const CopyWork& work) const {
    const auto& copy = work.copy;
    return fmt::format("MEMCPY\\n{} x {} x {} bytes", copy.width, copy.height, copy.depth);
  }
  std::string operator()(const Fill& fill) const {
    return fmt::format("MEMSET\\n{} x {} x {} bytes", fill.width, fill.height, fill.depth);
  }
  std::string operator()(const HostWork&) const { return "HOST"; }
  std::string operator()(const LibraryWork&) const { return "LIBRARY"; }
  std::string operator()(const ChildWork& work) const { return fmt::format("GRAPH {}", work.graph->id); }
  std::string operator()(const EmptyWork&) const { return "EMPTY"; }
  std::string operator()(const WaitWork&) const { return "EVENT_WAIT"; }
  std::string operator()(const RecordWork&) const { return "EVENT_RECORD"; }
  std::string operator()(const AllocateWork& work) const {
    return fmt::format("MEM_ALLOC\\n{} bytes", work.memory->size);
  }
  std::string operator()(const FreeWork&) const { return "MEM_FREE"; }
  std::string operator()(const WordsWork& work) const {
    return fmt::format("BATCH_MEM_OP\\n{} words", work.steps.size());
  }
  std::string operator()(const ConditionalWork& work) const {
    constexpr const char* kTypes[] = {"IF", "WHILE", "SWITCH"};
    std::string label = kTypes[work.type];
    for (const auto& body : work.bodies) label += fmt::format(" {}", body->id);
    return label;
  }
};

std::string dot_of(const Graph& graph) {
  std::string text = fmt::format("subgraph cluster_{} {{\nlabel=\"graph {}\";\n", graph.id, graph.id);
  std::string within;
  for (const auto& node : graph.nodes) {
    text += fmt::format("\"node_{}\" [shape=\"box\" label=\"{}\"];\n", node->id, std::visit(Label{}, node->work));
    if (const auto* child = std::get_if<ChildWork>(&node->work)) within += dot_of(*child->graph);
    if (const auto* conditional = std::get_if<ConditionalWork>(&node->work))
      for (const auto& body : conditional->bodies) within += dot_of(*body);
  }
  for (const auto& edge : edges_of(graph))
    text += fmt::format("\"node_{}\" -> \"node_{}\";\n", edge.from->id, edge.to->id);
  return text + "}\n" + within;
}

}  // namespace

cudaError_t read_dependencies(State& state, const Graph& graph, const Dependencies& from, std::vector<Node*>& nodes) {
  if (from.count > 0 && from.nodes == nullptr) return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < from.count; ++i) {
    Node* node = state.graph_table.find(from.nodes[i]);
    if (node == nullptr || node->graph != &graph || std::find(nodes.begin(), nodes.end(), node) != nodes.end())
      return cudaErrorInvalidValue;
    if (from.edges != nullptr && !is_plain(from.edges[i])) return cudaErrorNotSupported;  // launches that overlap
    nodes.push_back(node);
  }
  return cudaSuccess;
}

cudaError_t with_node(cudaGraphNode_t node, const std::function<cudaError_t(State&, Node&)>& function) {
  return with_state([&](State& state) {
    Node* found = state.graph_table.find(node);
    return found == nullptr ? cudaErrorInvalidValue : function(state, *found);
  });
}

cudaError_t with_node_of(cudaGraphExec_t graph, cudaGraphNode_t node,
                         const std::function<cudaError_t(State&, Node&)>& function) {
  return with_executable(graph, [&](State& state, Executable& executable) {
    const Node* found = state.graph_table.find(node);
    if (found == nullptr) return cudaErrorInvalidValue;
    const auto own = executable.nodes.find(found->original);
    return own == executable.nodes.end() ? cudaErrorInvalidValue : function(state, *own->second);
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return with_node(node, [&](State&, Node& found) {
    if (type == nullptr) return cudaErrorInvalidValue;
    *type = type_of(found.work);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return with_graph(graph, [&](State&, Graph& found) {
    std::vector<const Node*> all;
    for (const auto& node : found.nodes) all.push_back(node.get());
    return give_nodes(all, nodes, nullptr, count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return with_graph(graph, [&](State&, Graph& found) {
    std::vector<const Node*> roots;
    for (const auto& node : found.nodes)
      if (node->after.empty()) roots.push_back(node.get());
    return give_nodes(roots, nodes, nullptr, count);
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* data,
                              std::size_t* count) {
  return with_graph(graph, [&](State&, Graph& found) {
    if (count == nullptr || (from == nullptr) != (to == nullptr)) return cudaErrorInvalidValue;
    std::vector<const Node*> starts, ends;
    for (const auto& edge : edges_of(found)) {
      starts.push_back(edge.from);
      ends.push_back(edge.to);
    }
    std::size_t room = *count;
    const auto error = give_nodes(starts, from, data, &room);
    return error == cudaSuccess ? give_nodes(ends, to, nullptr, count) : error;
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* to, cudaGraphEdgeData* data,
                                         std::size_t* count) {
  return with_node(node, [&](State&, Node& found) {
    return give_nodes({found.after.begin(), found.after.end()}, to, data, count);
  });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* to, cudaGraphEdgeData* data,
                                           std::size_t* count) {
  return with_node(node, [&](State&, Node& found) {
    std::vector<const Node*> dependent;
    for (const auto& edge : edges_of(*found.graph))
      if (edge.from == &found) dependent.push_back(edge.to);
    return give_nodes(dependent, to, data, count);
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     const cudaGraphEdgeData* data, std::size_t count) {
  for (std::size_t i = 0; data != nullptr && i < count; ++i)
    if (!is_plain(data[i])) return set_last(cudaErrorNotSupported);
  return for_edges(graph, from, to, count, [](Node& before, Node& then) {
    if (std::find(then.after.begin(), then.after.end(), &before) != then.after.end()) return cudaErrorInvalidValue;
    then.after.push_back(&before);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        const cudaGraphEdgeData*, std::size_t count) {
  return for_edges(graph, from, to, count, [](Node& before, Node& then) {
    return std::erase(then.after, &before) > 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
}

// Not of memory: the other end of its life would miss it.
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return with_node(node, [&](State&, Node& found) {
    if (std::holds_alternative<AllocateWork>(found.work) || std::holds_alternative<FreeWork>(found.work))
      return cudaErrorNotSupported;
    Graph& graph = *found.graph;
    for (const auto& one : graph.nodes) std::erase(one->after, &found);
    graph.nodes.remove_if([&](const auto& one) { return one.get() == &found; });
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
  return with_graph(graph, [&](State&, Graph& found) {
    if (path == nullptr) return cudaErrorInvalidValue;
    std::ofstream file(path);
    file << "digraph dot {\n" << dot_of(found) << "}\n";
    return file.flush() ? cudaSuccess : cudaErrorOperatingSystem;
  });
}

}  // namespace xcuda::runtime
