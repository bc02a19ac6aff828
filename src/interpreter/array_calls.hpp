// Functions of arrays: reductions, shapes, where, map, and functions of the elements.
#pragma once

#include <string_view>
#include <vector>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class ArrayCalls : public Part {
 public:
  explicit ArrayCalls(Frame& frame) : Part(frame) {}

  Value of_elements(const FunctionCall& of);  // of <cmath> and the like: of numbers on the host, else of the elements
  // Calls a function of device code with each element; with numbers it runs once. The first arguments may have been
  // evaluated.
  Value of_device_code(const cell::Call& call, std::string_view function, std::vector<Value> values, cell::Span span);
  Value reduce(const FunctionCall& of);
  Value dot(const FunctionCall& of);
  Value fold(const FunctionCall& of);
  Value map(const FunctionCall& of);
  Value first_extent(const FunctionCall& of);
  Value reshape(const FunctionCall& of);
  Value turn(const FunctionCall& of);    // transpose, reverse
  Value choose(const FunctionCall& of);  // where
};

}  // namespace xcuda::interpreter
