// %%launch --graph: the statements are captured, and what they post runs as one. And graphs that programs capture:
// cudaStreamBeginCapture and its kin.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cell/tree.hpp"
#include "device/device.hpp"
#include "interpreter/frame.hpp"
#include "language/functions.hpp"
#include "session/capture.hpp"
#include "session/graph_table.hpp"

namespace xcuda::interpreter {

class Graphs : public Part {
 public:
  explicit Graphs(Frame& frame) : Part(frame) {}

  void run(const std::vector<cell::StatementPtr>& statements, cell::Span span);  // the span is the whole's, for errors

  // A call of the CUDA Runtime about graphs, with its arguments by parameter.
  Value call(std::string_view name, const language::Bound& given, cell::Span span);
  void require_ended() const;  // at the end of a cell: Error(value) where a program captures still
  // What comes between two parts of the graph that a program captures: a call of a function, an event that others wait
  // for. It is made between the captures of both.
  void add_step(const std::function<GraphTable::Step()>& step, device::StreamId stream, cell::Span span);
  // Streams and events of the earlier parts, whose work is done when the next one begins.
  const Capture::Members& earlier() const { return earlier_; }
  bool captures(device::StreamId stream) const;                            // in this part, or in an earlier one
  GraphTable::Step step_of(const cell::Expression& function, Value data);  // of a call. Error(type): not a function

 private:
  void begin(const cell::Expression& stream, cell::Span span);
  void end(const language::Bound& given, cell::Span span);
  void instantiate(const language::Bound& given, cell::Span span);
  void launch_executable(const language::Bound& given, cell::Span span);
  void update(const language::Bound& given, cell::Span span);
  void describe_capture(const language::Bound& given, cell::Span span);
  void count_nodes(const language::Bound& given, cell::Span span);
  // What an expression gives for a graph or a node, which is evaluated once.
  struct Handle {
    std::uint64_t number = 0;
    cell::Span span;
  };
  Handle handle(const cell::Expression& expression, std::string_view what);
  GraphTable::Graph& graph(const Handle& handle, GraphTable::Graph::Kind kind);
  GraphTable::Graph& graph(const cell::Expression& expression, GraphTable::Graph::Kind kind);
  void store(const cell::Expression& output, std::uint64_t number, cell::Span span);

  // Graphs that a program puts together: built_graphs.cpp
  using Node = GraphTable::Node;
  using Work = GraphTable::Work;
  bool build(std::string_view name, const language::Bound& given, cell::Span span);  // false: another call
  void add_node(std::string_view name, const language::Bound& given, cell::Span span);
  void add_dependencies(const language::Bound& given, cell::Span span);
  void change_node(std::string_view name, const language::Bound& given, cell::Span span);
  Node node_of(std::string_view name, const language::Bound& given, std::size_t first, cell::Span span);
  Node kernel_node(const cell::Expression& parameters, cell::Span span);
  Node fill_node(const cell::Expression& parameters);
  Node copy_node(const language::Bound& given, std::size_t first, cell::Span span);
  Node box_node(const cell::Expression& parameters);
  Node host_node(const cell::Expression& parameters);
  std::vector<std::uint64_t> nodes_at(const cell::Expression& list, std::uint64_t count);
  Node& find_node(std::vector<Node>& nodes, const Handle& handle);
  std::vector<ArrayUse> uses_of(const std::vector<device::Address>& places);
  class Steps;
  std::shared_ptr<const Work> work_of(const std::vector<Node>& nodes, cell::Span span);
  std::string missing_of_work(const Work& work) const;  // "x was freed"; empty where all is there
  GraphTable::Graph clone_of(GraphTable::Graph graph);

  std::shared_ptr<const Capture> end_part();  // of what a program captures
  void call_host(const std::shared_ptr<const GraphTable::HostCall>& called, cell::Span span);

  std::unique_ptr<Capture> open_;  // of a program
  device::GraphId first_{};        // of its first part: the number of the whole
  Work captured_;                  // before that
  Capture::Members earlier_;       // of these parts
  std::uint64_t captured_nodes_ = 0;
  std::map<std::shared_ptr<const GraphTable::HostCall>, cell::ExpressionPtr> calls_;
  cell::Span begun_;
  LaunchOptions::Report outside_ = LaunchOptions::Report::none;

  void launch(const Capture& capture, const device::GraphInfo& info, cell::Span span);
};

}  // namespace xcuda::interpreter
