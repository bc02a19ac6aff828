// References: another name of a variable, an element, a row or an array.
#pragma once

#include "interpreter/frame.hpp"

namespace xcuda::interpreter {

class References : public Part {
 public:
  explicit References(Frame& frame) : Part(frame) {}

  // T& name = place; false where a constant one is of a value, which is a variable of its own.
  bool bind(const cell::Declaration& declaration, const cell::Declarator& declarator);
  // The name means this memory from now on.
  void bind(const cell::Declaration& declaration, const cell::Declarator& declarator, Pointer place);
  // auto& [a, b] = place;
  void bind_parts(const cell::Declaration& declaration);

 private:
  bool is_of_this_type(const cell::Declaration& declaration, const Value& value) const;
};

}  // namespace xcuda::interpreter
