// The graphs that a program holds, by the numbers that cudaGraph_t and cudaGraphExec_t are to statements.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "session/capture.hpp"
#include "session/statement_value.hpp"

namespace xcuda::session {

class Submission;

class GraphTable {
 public:
  // A function of the host that a graph calls, with a pointer, which may be null.
  struct HostCall {
    std::string function;
    Value data;
  };
  // A part of what a graph does: work of the device, or what comes between two such parts.
  struct Step {
    std::shared_ptr<Capture> posted;
    std::shared_ptr<const HostCall> called;
    std::optional<Event> recorded, awaited;
  };
  using Work = std::vector<Step>;  // one after the other
  // A node of a graph that a program puts together: what it does, after the nodes that it depends on.
  struct Node {
    enum class Kind : std::uint8_t { empty, kernel, fill, copy, graph, host, record, wait } kind = Kind::empty;
    std::uint64_t number = 0;               // as cudaGraphNode_t
    std::function<void(Submission&)> post;  // of kernels, fills and copies
    std::vector<ArrayUse> uses;             // arrays that it works on
    std::vector<std::uint64_t> after;
    std::vector<Node> inside;          // of a graph of nodes
    std::shared_ptr<const Work> work;  // of a graph that was captured
    Step step;                         // of the host and of events
  };
  struct Graph {
    std::shared_ptr<const Work> work;  // of a graph that was captured, and of one that can be launched
    enum class Kind : std::uint8_t { graph, executable } kind = Kind::graph;
    std::uint64_t nodes = 0;
    std::vector<Node> built;
  };

  std::uint64_t add(Graph graph) {
    graphs_.emplace(++last_, std::move(graph));
    return last_;
  }
  std::uint64_t next() { return ++last_; }  // a number that nothing else has
  // Each node after those that it depends on; fewer than all where some wait for one another.
  static std::vector<const Node*> in_order(const std::vector<Node>& nodes) {
    std::vector<const Node*> order;
    std::set<std::uint64_t> done;
    for (bool more = true; more;) {
      more = false;
      for (const auto& node : nodes) {
        if (done.contains(node.number)) continue;
        bool ready = true;
        for (const auto earlier : node.after) ready = ready && done.contains(earlier);
        if (!ready) continue;
        order.push_back(&node);
        done.insert(node.number);
        more = true;
      }
    }
    return order;
  }
  // The graph that a node was added to; null if no graph has it.
  Graph* of_node(std::uint64_t node) {
    for (auto& [number, graph] : graphs_)
      for (const auto& each : graph.built)
        if (each.number == node && graph.kind == Graph::Kind::graph) return &graph;
    return nullptr;
  }
  Graph* find(std::uint64_t number) {
    const auto found = graphs_.find(number);
    return found == graphs_.end() ? nullptr : &found->second;
  }
  void remove(std::uint64_t number) { graphs_.erase(number); }
  void clear() { graphs_.clear(); }

 private:
  std::map<std::uint64_t, Graph> graphs_;
  std::uint64_t last_ = 0;
};

}  // namespace xcuda::session
