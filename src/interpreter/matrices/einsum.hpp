// einsum(): sums over products of arrays whose axes have letters.
#pragma once

#include <string>
#include <vector>

#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class Einsum : public Part {
 public:
  explicit Einsum(Frame& frame) : Part(frame) {}

  Value sum(const FunctionCall& of);

 private:
  // An array, and the letter of each of its axes; no letter twice.
  struct Lettered {
    std::string letters;
    Pointer array;
    std::size_t open = 0;  // of an input: how many axes "..." means
  };
  struct Subscripts {
    std::vector<std::string> inputs;
    std::string output;
  };
  Subscripts read(const std::string& text, const cell::Expression& expression) const;
  Lettered input(const std::string& given, const cell::Expression& expression, const FunctionCall& of);
  Lettered without(Lettered one, const std::string& needed);  // sums over the axes whose letters are not needed
  Lettered product(const Lettered& left, const Lettered& right, const std::string& needed, cell::Span span);
  Pointer arranged(const Lettered& one, const std::string& order) const;  // a view; an absent letter is an extent of 1
};

}  // namespace xcuda::interpreter
