// What functions of graphs begin with.
#pragma once

#include <functional>
#include <memory>

#include "runtime/api_calls.hpp"

namespace xcuda::runtime {

cudaError_t with_graph(cudaGraph_t graph, const std::function<cudaError_t(State&, Graph&)>& function);
cudaError_t with_node(cudaGraphNode_t node, const std::function<cudaError_t(State&, Node&)>& function);
cudaError_t with_executable(cudaGraphExec_t graph, const std::function<cudaError_t(State&, Executable&)>& function);
// The node of the executable graph that was made of this one.
cudaError_t with_node_of(cudaGraphExec_t graph, cudaGraphNode_t node,
                         const std::function<cudaError_t(State&, Node&)>& function);

cudaGraph_t keep(State& state, std::shared_ptr<Graph> graph);  // as the program's own

struct Dependencies {
  const cudaGraphNode_t* nodes = nullptr;
  std::size_t count = 0;
  const cudaGraphEdgeData* edges = nullptr;
};
// Errors: nodes of other graphs, edges with ports.
cudaError_t read_dependencies(State& state, const Graph& graph, const Dependencies& from, std::vector<Node*>& nodes);
// The node of what `make` fills in, which may fail.
cudaError_t add_node(cudaGraphNode_t* to, cudaGraph_t graph, const Dependencies& after,
                     const std::function<cudaError_t(State&, Work&)>& make);
// Sets the work of a node anew, and that of its counterpart in an executable graph.
cudaError_t set_work(cudaGraphNode_t node, const std::function<cudaError_t(State&, Work&)>& make);
cudaError_t set_work(cudaGraphExec_t graph, cudaGraphNode_t node,
                     const std::function<cudaError_t(State&, Work&)>& make);
template <class Kind>
cudaError_t with_work(cudaGraphNode_t node, const std::function<cudaError_t(State&, Kind&)>& function) {
  return with_node(node, [&](State& state, Node& found) {
    auto* work = std::get_if<Kind>(&found.work);
    return work == nullptr ? cudaErrorInvalidValue : function(state, *work);
  });
}

// User objects: a copy of a graph holds them, too; a graph that ends releases its own.
void retain_objects(State& state, Graph& copy, const Graph& of);
void release_objects(State& state, Graph& graph);

}  // namespace xcuda::runtime
