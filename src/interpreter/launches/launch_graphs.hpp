// %%launch --graph: the statements are captured, and what they post runs as one. And graphs that programs capture:
// cudaStreamBeginCapture and its kin.
#pragma once

#include <memory>
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

 private:
  void begin(const cell::Expression& stream, cell::Span span);
  void end(const language::Bound& given, cell::Span span);
  void instantiate(const language::Bound& given, cell::Span span);
  void launch_executable(const language::Bound& given, cell::Span span);
  void update(const language::Bound& given, cell::Span span);
  void count_nodes(const language::Bound& given, cell::Span span);
  GraphTable::Graph& graph(const cell::Expression& handle, GraphTable::Graph::Kind kind);
  void store(const cell::Expression& output, std::uint64_t number, cell::Span span);
  std::unique_ptr<Capture> open_;  // of a program
  cell::Span begun_;
  LaunchOptions::Report outside_ = LaunchOptions::Report::none;

  void launch(const Capture& capture, const device::GraphInfo& info, cell::Span span);
};

}  // namespace xcuda::interpreter
