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
  // The function of f, &f, (void*)f: one of the cells, or one that a variable points to; nothing for anything else.
  std::optional<Function> function(const cell::Expression& expression);
  // The function that a place points to, table[i], op.f, (*f); nothing where it holds something else.
  std::optional<Function> function_in(const cell::Expression& place);
  // The kernel or function that a launch or a call of this name means: the target of a variable, or the name itself.
  // Errors: value, for a null pointer.
  std::string function_called(const std::string& name, cell::Span span);
  std::string kernel_of(const cell::Launch& launch);                          // Errors: value, type
  const std::string& named(const Function& function, cell::Span span) const;  // Errors: value, for a null pointer

 private:
  bool names_function(std::string_view name);  // of the cells, or a kernel
  std::optional<Function> referred(const Variable& variable);
  Error unknown(const std::string& name, cell::Span span);
};

}  // namespace xcuda::interpreter
