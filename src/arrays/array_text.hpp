// The CUDA C++ of an array expression: one function of an element, and what a kernel needs to find the elements.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "arrays/array_source.hpp"

namespace xcuda::arrays {

class ArrayText {
 public:
  explicit ArrayText(const ArrayForm& form);

  const std::string& parameters() const {
    return parameters_;
  }                                                            // "const float* xcuda_a0, float xcuda_s0, " of a kernel
  const std::string& arguments() const { return arguments_; }  // "xcuda_a0, xcuda_s0, ": to hand on to xcuda_at
  std::string packed_element(std::string_view k) const;        // of packs xcuda_v0, ...
  std::string packed_loads(int pack) const;
  std::string target_offset() const;  // of element xcuda_i in the target
  // C++ of a conversion and of an operator: spelled out where elements have 16 bits or are complex.
  std::string converted(std::string_view type, std::string_view value) const;
  std::string applied(cell::BinaryOperator op, std::string_view left, std::string_view right) const;

  // The expression, with functions xcuda_element (of elements) and xcuda_at (of a linear index), and after it the
  // kernel.
  OperationSource before(const std::string& kernel) const;
  // The part of the expression that a line of that source comes from.
  cell::Span place(int line) const;

 private:
  void write_element(const ArrayNode& node);
  std::string emit(const ArrayNode& node);  // the name of its value
  std::string value_text(const ArrayNode& node);
  std::string pointer_type(const Pointer& pointer) const;
  void write_access();
  void line(const std::string& text, cell::Span span);
  std::string element_argument(const ArrayForm::Leaf& leaf, std::string_view index) const;

  const ArrayForm& form_;
  std::string text_, parameters_, arguments_;
  std::vector<cell::Span> lines_;
  int temporaries_ = 0;
};

}  // namespace xcuda::arrays
