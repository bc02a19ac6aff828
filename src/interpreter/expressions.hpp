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
  // The form of an expression, without its effects: as the cell's check found it, or as it is now if that was unknown.
  const language::Form& form(const cell::Expression& expression);

 private:
  language::Forms forms_;  // of expressions whose form the check could not tell; the trees outlive this
};

}  // namespace xcuda::interpreter
