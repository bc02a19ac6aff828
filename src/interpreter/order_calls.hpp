// Functions of arrays that order their elements, or combine them in order.
#pragma once

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class OrderCalls : public Part {
 public:
  explicit OrderCalls(Frame& frame) : Part(frame) {}

  Value scan(const FunctionCall& of);
  Value sort(const FunctionCall& of);  // sort, argsort, unique
  Value median(const FunctionCall& of);
  Value roll(const FunctionCall& of);
  Value histogram(const FunctionCall& of);

 private:
  Pointer argument(const cell::Expression& expression, const FunctionCall& of);
};

}  // namespace xcuda::interpreter
