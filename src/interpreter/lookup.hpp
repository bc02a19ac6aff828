// What a name means among statements: a variable of the host, an array, a constant of device code, a module
// variable, a constant of C++; in this order.
#pragma once

#include <string>

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

 private:
  Error unknown(const std::string& name, cell::Span span);
};

}  // namespace xcuda::interpreter
