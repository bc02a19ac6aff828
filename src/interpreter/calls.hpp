// Calls: each goes to the part that knows the function; what cannot be called is answered here.
#pragma once

#include <string>
#include <unordered_map>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"
#include "session/value.hpp"

namespace xcuda::interpreter {

class Calls : public Part {
 public:
  explicit Calls(Frame& frame) : Part(frame) {}

  Value call(const cell::Call& call, cell::Span span);

 private:
  Value of_language(const FunctionCall& of);  // by its row's operation
  const cell::Expression* expansion(const cell::Call& call, const std::string& name, cell::Span span);

  // Of function-like macros, for each place in the cell's tree, which outlives this.
  std::unordered_map<const cell::Call*, cell::ExpressionPtr> expansions_;
};

}  // namespace xcuda::interpreter
