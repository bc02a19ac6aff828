// The graphs that a program holds, by the numbers that cudaGraph_t and cudaGraphExec_t are to statements.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "session/capture.hpp"

namespace xcuda::session {

class GraphTable {
 public:
  struct Graph {
    std::shared_ptr<Capture> work;
    enum class Kind : std::uint8_t { graph, executable } kind = Kind::graph;
    std::uint64_t nodes = 0;
  };

  std::uint64_t add(Graph graph) {
    graphs_.emplace(++last_, std::move(graph));
    return last_;
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
