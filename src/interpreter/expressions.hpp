// The value of an expression, whatever it is made of.
#pragma once

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "language/check.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class Expressions : public Part {
 public:
  explicit Expressions(Frame& frame) : Part(frame) {}

  Value evaluate(const cell::Expression& expression);
  // What it is, without its effects: as the check of the cell found it, or as it is now where that could not tell.
  const language::Form& form(const cell::Expression& expression);

 private:
  language::Forms forms_;  // of what the check could not tell; the trees outlive this
};

}  // namespace xcuda::interpreter
