#include "runtime/graph/program_graph.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace xcuda::runtime {
namespace {

std::uint64_t next_graph_id() {
  static std::atomic<std::uint64_t> made{0};
  return ++made;
}

std::shared_ptr<Graph> copy_inner(const std::shared_ptr<Graph>& from) { return from ? copy_of(*from) : nullptr; }

Work copy_of_work(const Work& work) {
  Work result = work;
  if (auto* child = std::get_if<ChildWork>(&result)) child->graph = copy_inner(child->graph);
  if (auto* conditional = std::get_if<ConditionalWork>(&result)) {
    conditional->handles.clear();
    for (auto& body : conditional->bodies) {
      body = copy_inner(body);
      conditional->handles.push_back(handle_of(body.get()));
    }
  }
  return result;
}

void copy_into(Graph& to, const Graph& from) {
  std::map<const Node*, Node*> copies;
  for (const auto& node : from.nodes) {
    to.nodes.push_back(std::make_unique<Node>(to, copy_of_work(node->work), node->original));
    copies[node.get()] = to.nodes.back().get();
    to.nodes.back()->enabled = node->enabled;
  }
  for (const auto& node : from.nodes)
    for (const Node* before : node->after) copies[node.get()]->after.push_back(copies[before]);
  to.conditions = from.conditions;
  to.is_body = from.is_body;
}

}  // namespace

cudaGraphNodeType type_of(const Work& work) {
  constexpr auto kWords = static_cast<cudaGraphNodeType>(12);  // CU_GRAPH_NODE_TYPE_BATCH_MEM_OP has no name here
  constexpr cudaGraphNodeType kTypes[] = {cudaGraphNodeTypeKernel,
                                          cudaGraphNodeTypeMemcpy,
                                          cudaGraphNodeTypeMemset,
                                          cudaGraphNodeTypeHost,
                                          cudaGraphNodeTypeGraph,
                                          cudaGraphNodeTypeEmpty,
                                          cudaGraphNodeTypeWaitEvent,
                                          cudaGraphNodeTypeEventRecord,
                                          cudaGraphNodeTypeMemAlloc,
                                          cudaGraphNodeTypeMemFree,
                                          kWords,
                                          cudaGraphNodeTypeConditional,
                                          cudaGraphNodeTypeKernel};
  static_assert(std::size(kTypes) == std::variant_size_v<Work>);
  return kTypes[work.index()];
}

void GraphTable::add(const Graph* graph) {
  const std::lock_guard lock(mutex_);
  graphs_.insert(graph);
}
void GraphTable::add(const Node* node) {
  const std::lock_guard lock(mutex_);
  nodes_.insert(node);
}
void GraphTable::remove(const Graph* graph) {
  const std::lock_guard lock(mutex_);
  graphs_.erase(graph);
}
void GraphTable::remove(const Node* node) {
  const std::lock_guard lock(mutex_);
  nodes_.erase(node);
}
Graph* GraphTable::find(cudaGraph_t graph) const {
  const std::lock_guard lock(mutex_);
  return graphs_.contains(graph) ? reinterpret_cast<Graph*>(graph) : nullptr;
}
Node* GraphTable::find(cudaGraphNode_t node) const {
  const std::lock_guard lock(mutex_);
  return nodes_.contains(node) ? reinterpret_cast<Node*>(node) : nullptr;
}

Node::Node(Graph& in, Work does, std::uint64_t origin)
    : graph(&in), work(std::move(does)), id(next_graph_id()), original(origin == 0 ? id : origin) {
  in.table.add(this);
}
Node::~Node() { graph->table.remove(this); }

Graph::Graph(GraphTable& of) : table(of), id(next_graph_id()) { table.add(this); }
Graph::~Graph() {
  nodes.clear();
  table.remove(this);
}

Node& Graph::add(Work work, const std::vector<Node*>& after) {
  nodes.push_back(std::make_unique<Node>(*this, std::move(work)));
  nodes.back()->after = after;
  return *nodes.back();
}

bool Graph::has(const Node* node) const {
  const Node* const found = table.find(handle_of(node));
  return found != nullptr && found->graph == this;
}

bool Graph::takes(const Work& work) const {
  if (!is_body) return true;
  switch (type_of(work)) {
    case cudaGraphNodeTypeKernel:
    case cudaGraphNodeTypeMemcpy:
    case cudaGraphNodeTypeMemset:
    case cudaGraphNodeTypeGraph:
    case cudaGraphNodeTypeEmpty:
    case cudaGraphNodeTypeConditional: return true;
    default: return false;
  }
}

std::vector<Node*> Graph::in_order() const {
  std::vector<Node*> order;
  std::map<const Node*, std::size_t> waits;
  std::map<const Node*, std::vector<Node*>> then;
  std::map<std::uint64_t, Node*> ready;  // by age
  for (const auto& node : nodes) {
    waits[node.get()] = node->after.size();
    for (const Node* before : node->after) then[before].push_back(node.get());
    if (node->after.empty()) ready.emplace(node->id, node.get());
  }
  while (!ready.empty()) {
    Node* next = ready.begin()->second;
    ready.erase(ready.begin());
    order.push_back(next);
    for (Node* follower : then[next])
      if (--waits[follower] == 0) ready.emplace(follower->id, follower);
  }
  return order;
}

std::shared_ptr<Graph> copy_of(const Graph& graph) {
  auto copy = std::make_shared<Graph>(graph.table);
  copy_into(*copy, graph);
  return copy;
}

}  // namespace xcuda::runtime
