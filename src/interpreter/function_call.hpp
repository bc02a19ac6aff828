// A call of a function of the language.
#pragma once

#include "cell/tree.hpp"
#include "language/functions.hpp"

namespace xcuda::interpreter {

struct FunctionCall {
  language::FunctionName name;
  const cell::Call& call;
  cell::Span span;
  std::size_t results = 1;  // how many are wanted: two in auto [a, b] = f(x)
  const language::Function& row() const { return *name.row; }
};

}  // namespace xcuda::interpreter
