// Numbers: expressions of only scalars run by a program that is made once for each place in the cell's tree.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/scalar_program.hpp"
#include "language/scalar_value.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class Scalars : public Part {
 public:
  explicit Scalars(Frame& frame) : Part(frame) {}

  std::optional<language::ScalarValue> by_program(const cell::Expression& expression);  // nothing when it has none
  language::ScalarValue number(const cell::Expression& expression, std::string_view what);
  language::ScalarValue number(const Value& value, cell::Span span, std::string_view what);
  // The truth of a condition: a text is a pointer that is not null, as getenv() gives it.
  bool truth(const cell::Expression& condition);
  bool truth(Value value, const cell::Expression& of, std::string_view what = "a condition");  // by operator bool, too
  bool truth(const Value& value, cell::Span span, std::string_view what = "a condition");

 private:
  std::unordered_map<const cell::Expression*, std::optional<ScalarProgram>> programs_;  // the tree outlives this
  ScalarProgram::Stack stack_;
};

}  // namespace xcuda::interpreter
