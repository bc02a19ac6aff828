// The value of an expression, whatever it is made of.
#pragma once

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "session/value.hpp"

namespace xcuda::interpreter {

class Expressions : public Part {
 public:
  explicit Expressions(Frame& frame) : Part(frame) {}

  Value evaluate(const cell::Expression& expression);
};

}  // namespace xcuda::interpreter
