// Queries of the device, as host programs make them with the CUDA Runtime: properties, free memory, occupancy.
#pragma once

#include "interpreter/frame.hpp"
#include "language/functions.hpp"

namespace xcuda::interpreter {

class DeviceCalls : public Part {
 public:
  explicit DeviceCalls(Frame& frame) : Part(frame) {}

  // given: by parameter. Errors: type, value.
  Value call(language::Operation operation, const language::Bound& given, cell::Span span);

 private:
  bool reaches(const cell::Expression& device, const cell::Expression& peer);
  void store(const cell::Expression& output, const Value& value, cell::Span span);  // output: &n
  Object properties(cell::Span span);
  language::ScalarValue attribute(const cell::Expression& number);
  void memory(const language::Bound& given, cell::Span span);
  device::OccupancyRequest of_kernel(const cell::Expression& kernel);
  void active_blocks(const language::Bound& given, cell::Span span);
  void best_block(const language::Bound& given, cell::Span span);
};

}  // namespace xcuda::interpreter
