// Graphs, their nodes and what each of them does.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <variant>
#include <vector>

#include "device/device.hpp"
#include "runtime/boxes.hpp"

namespace xcuda::runtime {

namespace driver {
struct WordParameters;
bool has_same_operations(const WordParameters& a, const WordParameters& b);  // as an executable graph keeps them
}  // namespace driver

struct Graph;
struct Node;

struct KernelWork {
  const void* function = nullptr;
  device::LaunchRequest request;
  std::vector<std::size_t> offsets;  // of the arguments in those of the request
  std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue> attributes;
  std::vector<void*> arguments;  // what cudaGraphKernelNodeGetParams() has given away
};
struct CopyWork {
  Copy copy;
  cudaMemcpy3DParms parameters{};
};
struct HostWork {
  cudaHostFn_t function = nullptr;
  void* data = nullptr;
};
struct ChildWork {
  std::shared_ptr<Graph> graph;
};
struct EmptyWork {};
struct RecordWork {
  cudaEvent_t event = nullptr;
};
struct WaitWork {
  cudaEvent_t event = nullptr;
};

// Memory that a node allocates: one address for all launches, held while a graph with the node exists.
struct GraphMemory {
  void* address = nullptr;
  std::size_t size = 0;
  bool live = false;  // allocated by what was launched last, and not freed yet
  bool is_condition = false;
};
// All memory of graphs by address, with the most that was allocated at a time, in bytes.
struct GraphMemories {
  std::map<const void*, std::shared_ptr<GraphMemory>> all;
  std::uint64_t most_used = 0, most_reserved = 0;
};
struct AllocateWork {
  std::shared_ptr<GraphMemory> memory;
  cudaMemPoolProps pool{};
};
struct FreeWork {
  void* address = nullptr;
};

// A condition is a word of the device's memory, and its handle is the address of it.
struct Condition {
  std::shared_ptr<GraphMemory> word;
  unsigned value = 0;  // with which each launch begins, where `assigned`
  bool assigned = false;
};
struct ConditionalWork {
  cudaGraphConditionalHandle handle = 0;
  cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
  std::vector<std::shared_ptr<Graph>> bodies;
  std::vector<cudaGraph_t> handles;  // of the bodies
};

// Words that are written and waited for (cuGraphAddBatchMemOpNode()), each by a kernel of one thread.
struct WordsWork {
  std::vector<KernelWork> steps;
  std::shared_ptr<const driver::WordParameters> parameters;
};

// Work of cuBLAS and its siblings, which launches kernels on a GPU.
struct LibraryWork {
  std::shared_ptr<const std::function<void()>> run;
};

// The alternatives follow cudaGraphNodeType, which has holes after the waits for events; work of libraries comes last.
using Work = std::variant<KernelWork, CopyWork, Fill, HostWork, ChildWork, EmptyWork, WaitWork, RecordWork,
                          AllocateWork, FreeWork, WordsWork, ConditionalWork, LibraryWork>;
cudaGraphNodeType type_of(const Work& work);

// Which graphs and nodes there are, those within others included: handles are their addresses.
class GraphTable {
 public:
  void add(const Graph* graph);
  void add(const Node* node);
  void remove(const Graph* graph);
  void remove(const Node* node);
  Graph* find(cudaGraph_t graph) const;
  Node* find(cudaGraphNode_t node) const;

 private:
  mutable std::mutex mutex_;
  std::set<const void*> graphs_, nodes_;
};

struct Node {
  Node(Graph& in, Work does, std::uint64_t origin = 0);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Graph* graph;
  Work work;
  std::uint64_t id;          // unique among all nodes
  std::uint64_t original;    // of what it is a copy of; its own
  std::vector<Node*> after;  // the nodes that it depends on
  bool enabled = true;       // of executable graphs
};

struct UserObject {
  void* data = nullptr;
  cudaHostFn_t destroy = nullptr;
  unsigned references = 0;
};

struct Graph : std::enable_shared_from_this<Graph> {
  explicit Graph(GraphTable& of);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  GraphTable& table;
  std::uint64_t id;
  std::list<std::unique_ptr<Node>> nodes;  // in the order in which they were added
  std::vector<Condition> conditions;
  std::map<cudaUserObject_t, unsigned> objects;               // user objects that it holds
  bool is_body = false;                                       // of a conditional node
  std::atomic<bool> invalid = false;                          // something that its capture does not take was asked for
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;  // of a capture into it,
  std::thread::id capturer;                                   // and the thread that began it; none: it has ended

  Node& add(Work work, const std::vector<Node*>& after);
  bool has(const Node* node) const;     // false: it was destroyed
  bool takes(const Work& work) const;   // bodies of conditional nodes do not take all
  std::vector<Node*> in_order() const;  // each after those that it depends on; without those of a circle
};

// A copy of a graph with all graphs within. It shares events, memory and conditions with the original.
std::shared_ptr<Graph> copy_of(const Graph& graph);

struct Executable {
  std::shared_ptr<Graph> graph;
  std::map<std::uint64_t, Node*> nodes;  // by the ids of those it was made of
  unsigned long long flags = 0;
};

inline cudaGraph_t handle_of(const Graph* graph) { return reinterpret_cast<cudaGraph_t>(const_cast<Graph*>(graph)); }
inline cudaGraphNode_t handle_of(const Node* node) {
  return reinterpret_cast<cudaGraphNode_t>(const_cast<Node*>(node));
}

}  // namespace xcuda::runtime
