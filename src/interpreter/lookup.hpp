// What a name means among statements: a variable of the host, an array, a constant of device code, a module
// variable, a constant of C++; in this order.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class Lookup : public Part {
 public:
  explicit Lookup(Frame& frame) : Part(frame) {}

  Value value(const cell::Name& name, cell::Span span);    // Error(name) when it means nothing
  Variable& variable(const cell::Expression& expression);  // of the host, that may be assigned to; Errors: name, type
  bool is_on_device(const std::string& name);              // an array or a module variable that no variable hides
  bool is_type(const std::string& name);                   // has no value, and cells define it as a type
  // f, &f, (void*)f: a function of the cells, or a variable that points to one; nothing where it is something else.
  std::optional<Function> function(const cell::Expression& expression);
  // table[i], op.f, (*f): what such a place points to; nothing where it holds something else.
  std::optional<Function> function_in(const cell::Expression& place);
  // The kernel or function that a launch or a call of this name means: what a variable points to, or the name itself.
  // Errors: value, where it points to none.
  std::string function_called(const std::string& name, cell::Span span);
  std::string kernel_of(const cell::Launch& launch);                          // Errors: value, type
  const std::string& named(const Function& function, cell::Span span) const;  // Errors: value, of a pointer to none

 private:
  bool names_function(std::string_view name);  // of the cells, or a kernel
  std::optional<Function> referred(const Variable& variable);
  Error unknown(const std::string& name, cell::Span span);
};

}  // namespace xcuda::interpreter
