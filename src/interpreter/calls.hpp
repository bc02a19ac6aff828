// Calls: each goes to the part that knows the function; names that cannot be called are answered here.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class Calls : public Part {
 public:
  explicit Calls(Frame& frame) : Part(frame) {}

  Value call(const cell::Call& call, cell::Span span);
  Value named(const cell::Call& call, const std::string& called, cell::Span span);
  Value of_language(const FunctionCall& of);  // by its row's operation
  // The results for several names; fewer than wanted if the call gives fewer.
  std::vector<Value> results(const cell::Call& call, cell::Span span, std::size_t wanted);

 private:
  class Expanding;
  const cell::Expression* expansion(const cell::Call& call, const std::string& name, cell::Span span);
  bool calls_refused(const cell::Expression& expression);
  const cell::Expression* method(const cell::Call& call, const cell::Member& member, cell::Span span);
  const cell::Expression* reverse_method(const cell::Call& call, cell::Span span);

  // The expansions of function-like macros and of functions called like members, for each place in the cell's tree,
  // which outlives this.
  std::unordered_map<const cell::Call*, cell::ExpressionPtr> expansions_;
  std::vector<const cell::Call*> expanding_;  // calls of macros whose expansions are evaluated now
};

}  // namespace xcuda::interpreter
