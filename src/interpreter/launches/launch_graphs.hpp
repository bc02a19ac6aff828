// %%launch --graph: the statements are captured, and what they post runs as one.
#pragma once

#include <vector>

#include "cell/tree.hpp"
#include "device/device.hpp"
#include "interpreter/frame.hpp"
#include "session/capture.hpp"

namespace xcuda::interpreter {

class Graphs : public Part {
 public:
  explicit Graphs(Frame& frame) : Part(frame) {}

  void run(const std::vector<cell::StatementPtr>& statements, cell::Span span);  // the span is the whole's, for errors

 private:
  void launch(const Capture& capture, const device::GraphInfo& info, cell::Span span);
};

}  // namespace xcuda::interpreter
