// References: another name of a variable, an element, a row or an array.
#pragma once

#include "interpreter/frame.hpp"

namespace xcuda::interpreter {

class References : public Part {
 public:
  explicit References(Frame& frame) : Part(frame) {}

  // Binds T& name = place; false for a constant reference to a value, which becomes a variable of its own.
  bool bind(const cell::Declaration& declaration, const cell::Declarator& declarator);
  // Makes the name mean this memory from now on.
  void bind(const cell::Declaration& declaration, const cell::Declarator& declarator, Pointer place);
  // auto& [a, b] = place;
  void bind_parts(const cell::Declaration& declaration);

 private:
  bool is_of_this_type(const cell::Declaration& declaration, const Value& value) const;
};

}  // namespace xcuda::interpreter
