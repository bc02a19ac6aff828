// A call of a function of the language.
#pragma once

#include "cell/tree.hpp"
#include "language/functions.hpp"

namespace xcuda::interpreter {

struct FunctionCall {
  language::FunctionName name;
  const cell::Call& call;
  cell::Span span;
  const language::Function& row() const { return *name.row; }
};

}  // namespace xcuda::interpreter
