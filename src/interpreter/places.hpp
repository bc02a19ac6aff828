// Places on the device: x, x[i], a row, a slice, a member, *x.
#pragma once

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "language/scalar_value.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class Places : public Part {
 public:
  explicit Places(Frame& frame) : Part(frame) {}

  Pointer of(const cell::Expression& expression);  // Errors: type, value, name
  Pointer subscript(const cell::Index& index);
  Value element(const Pointer& pointer);  // the value of one element: synchronises and reads

 private:
  Pointer elements_of(Value value, const cell::Expression& expression);
};

}  // namespace xcuda::interpreter
