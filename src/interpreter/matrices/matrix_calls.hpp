// Functions of matrices.
#pragma once

#include <string>

#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class MatrixCalls : public Part {
 public:
  explicit MatrixCalls(Frame& frame) : Part(frame) {}

  Value multiply(const FunctionCall& of);
  Value outer(const FunctionCall& of);
  Value kronecker(const FunctionCall& of);
  Value power(const FunctionCall& of);

 private:
  Pointer factor(const cell::Expression& expression, const FunctionCall& of);
  Pointer factor(const Value& value, const cell::Expression& expression, const FunctionCall& of);
  Pointer product(const Pointer& left, const Pointer& right, const FunctionCall& of);
};

}  // namespace xcuda::interpreter
