// A call of a function of the language.
#pragma once

#include "cell/tree.hpp"
#include "language/functions.hpp"

namespace xcuda::interpreter {

struct FunctionCall {
  language::FunctionName name;
  const cell::Call& call;
  cell::Span span;
  std::size_t results = 1;  // that are wanted: of auto [a, b] = f(x), two
  const language::Function& row() const { return *name.row; }
};

}  // namespace xcuda::interpreter
