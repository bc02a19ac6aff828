// assert(condition): a false condition ends the cell, and the error shows what was compared. For whole arrays it tells
// how many elements fail, and shows the worst; allclose() is the comparison for them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arrays/array_node.hpp"
#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class Assertions : public Part {
 public:
  explicit Assertions(Frame& frame) : Part(frame) {}

  void check(const cell::Call& call, cell::Span span);
  // Whether a and b are equal or |a - b| <= atol + rtol |b|, everywhere.
  bool all_close(const FunctionCall& of);

 private:
  // A truth, or an array of truths; if false the notes say why. Each part is evaluated once, and only as far as in C++.
  Value value(const cell::Expression& condition, std::vector<std::string>& notes);
  void check_all(const ArrayNodePtr& condition, const cell::Expression& expression, cell::Span span);
  struct Worst {
    const cell::Expression *left_text, *right_text;
    ArrayNodePtr left, right, holds;
  };
  [[noreturn]] void fail_worst(const Worst& worst, std::uint64_t wrong, const cell::Expression& condition,
                               cell::Span span);

  const cell::Call* asserted_ = nullptr;  // an allclose() that is the condition of an assert
  const cell::Expression* asserted_text_ = nullptr;
};

}  // namespace xcuda::interpreter
