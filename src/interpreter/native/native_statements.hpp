// Finds statements that mean the same as C++ in a function: numbers, elements, calls and branches; nothing that only a
// session can do.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "session/host_functions.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class NativeStatements : public Part {
 public:
  NativeStatements(Frame& frame, const cell::Statement& statement)
      : Part(frame), accepted_(accepts(statement) && (returns_.empty() || !exits_)) {}

  bool accepted() const { return accepted_; }
  bool touches_memory() const { return touches_memory_; }  // elements, or what functions of cells do
  // Functions that run as statements elsewhere, and whose bodies are also accepted: rand() scaled to a range.
  const std::vector<session::KnownFunctionPtr>& functions() const { return functions_; }
  // Those that leave it, each on a line of its own; all with a value or none. What they give is computed afterwards.
  const std::vector<const cell::Statement*>& returns() const { return returns_; }

 private:
  NativeStatements(Frame& frame, const cell::HostFunction& function);
  bool accepts(const cell::Statement& statement);
  bool accepts(const cell::StatementPtr& statement) { return statement == nullptr || accepts(*statement); }
  bool accepts(const cell::ExpressionPtr& expression) { return expression == nullptr || accepts(*expression); }
  bool accepts(const cell::Expression& expression);
  bool accepts(const cell::Declaration& declaration);
  bool accepts(const cell::RangeFor& loop);
  bool accepts(const cell::Return& left, const cell::Statement& statement);
  bool accepts(const cell::Call& call);
  bool accepts_host_function(const session::KnownFunctionPtr& known, const cell::Call& call);
  bool accepts_vector_call(const cell::Call& call, const cell::Member& member);
  bool accepts_method(const cell::Call& call, const cell::Expression& object, std::string_view method);
  bool accepts_name(const std::string& name);
  bool accepts_pointer(const cell::Expression& expression);
  bool accepts_argument(const cell::Expression& argument);  // of a function of a cell
  bool accepts_element(const cell::Index& index, std::size_t inner = 0);
  bool is_array(const std::string& name) const;

  std::set<std::string> declared_;  // in it
  std::set<std::string> around_;    // of these, those that are still there after it: i of for (int i = 0; ...)
  std::vector<const cell::Statement*> returns_;
  bool exits_ = false;
  bool whole_ = true;  // what is looked at is the statement itself
  std::map<const Variable*, std::string> variables_;
  std::vector<session::KnownFunctionPtr> functions_;
  bool outermost_ = true;     // the statement itself, not one in it
  bool of_function_ = false;  // which knows its own names and constants
  bool touches_memory_ = false;
  bool accepted_;
};

}  // namespace xcuda::interpreter
