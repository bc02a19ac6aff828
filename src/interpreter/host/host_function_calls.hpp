// Calls of functions whose bodies are statements: code that drives a program's kernels, allocates, copies and times.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interpreter/frame.hpp"
#include "interpreter/host/template_arguments.hpp"
#include "session/host_functions.hpp"

namespace xcuda::interpreter {

class HostFunctionCalls : public Part {
 public:
  explicit HostFunctionCalls(Frame& frame) : Part(frame) {}

  // Calls a function; nothing where no such function has the name. Errors: type, value (it calls itself too often).
  std::optional<Value> call(const cell::Call& call, const std::string& name, cell::Span span);
  bool is_running() const { return running_ != nullptr; }
  // The name in __func__. The statements of a cell are the body of main().
  std::string running_name() const { return running_ == nullptr ? "main" : running_->function->name; }
  // The value of a return statement of the running function.
  Value result(const cell::Return& statement, cell::Span span);
  // Makes static T name = value; in the running function once, and keeps it across calls. False outside a function.
  bool keep(const cell::Declaration& declaration, const cell::Declarator& declarator);
  // The arguments of the template that runs, as declarations of C++.
  std::string template_arguments() const;
  // A text of the template that runs, with its arguments in the places of its parameters.
  std::string with_template_arguments(std::string text) const;

 private:
  // A function as it is called: for a template the instance.
  struct Running {
    session::KnownFunctionPtr known;
    cell::HostFunctionPtr function;
    TemplateArguments::Given given;
    Source source() const { return {known->source, *known->text}; }
  };
  class Body;

  const session::KnownFunctionPtr& choose(const std::vector<session::KnownFunctionPtr>& overloads,
                                          const cell::Call& call, cell::Span span);
  int fit(const cell::HostFunction& function, const cell::Call& call);
  Running instance(const session::KnownFunctionPtr& known, const cell::Call& call, const std::string& name,
                   cell::Span span);
  Value run(const Running& running, const cell::Call& call, cell::Span span);

  const Running* running_ = nullptr;
  int depth_ = 0;
  std::set<session::KnownFunctionPtr> called_;  // whose trees are known to other parts by now
};

}  // namespace xcuda::interpreter
