// Assignments: to variables, members and elements, and to whole arrays and slices.
#pragma once

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class Assignments : public Part {
 public:
  explicit Assignments(Frame& frame) : Part(frame) {}

  Value assign(const cell::Assignment& assignment, cell::Span span);  // nothing where an array is assigned to

 private:
  // local(x) = value; x.device(1) = value; by the device that has the part.
  void assign_tied(const cell::Call& tie, const cell::Assignment& assignment);
  void assign_part(const cell::Call& part, const cell::Assignment& assignment, cell::Span span);
  Variable* address_variable(const std::string& name);
  Value assign_address(Variable& variable, const std::string& name, const cell::Assignment& assignment,
                       cell::Span span);
  void assign_array(const cell::Assignment& assignment, const Pointer& target, cell::Span span);
  // value: the right side, where it was evaluated already.
  void store_array(const Pointer& target, const cell::Assignment& assignment, const Value* value, cell::Span span);
  void fill(const Pointer& target, const Value& value, cell::Span span);
};

}  // namespace xcuda::interpreter
