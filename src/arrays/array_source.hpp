// The CUDA C++ of an array expression: one function of an element, and what a kernel needs to find the elements. The
// text depends on types and on the shape class alone: numbers, extents and addresses are parameters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arrays/array_node.hpp"
#include "arrays/operations.hpp"

namespace xcuda::arrays {

class ArraySource {
 public:
  // An effect is a call whose value is dropped: it may be void, and gets pointers that it may write by.
  enum class Purpose : std::uint8_t { value, effect };
  // space: the shape whose elements are counted row by row, to which the node's is broadcast. target: what is written
  // there, if its strides matter; may be null.
  ArraySource(const ArrayNode& node, const Shape& space, const Pointer* target, Purpose purpose = Purpose::value,
              std::string_view header = "xcuda/elementwise.cuh");

  // The expression, with functions xcuda_element (of elements) and xcuda_at (of a linear index). A kernel's own text
  // follows; `result` is the type that it writes, empty for the expression's own.
  const std::string& text() const { return text_; }
  const std::string& parameters() const {
    return parameters_;
  }                                                            // "const float* xcuda_a0, float xcuda_s0, " of a kernel
  const std::string& arguments() const { return arguments_; }  // "xcuda_a0, xcuda_s0, ": to hand on to xcuda_at
  void note(const Type& type);                                 // a type that the kernel's own text names
  void need(std::string_view names) { names_ += std::string(names) + " "; }
  OperationSource finish(const std::string& kernel) const;

  // Adds the values of the parameters, in the same order.
  void add_to(OperationArguments& arguments) const;

  std::uint64_t count() const { return count_; }
  bool wide() const { return wide_; }  // indices of 64 bits
  bool flat() const { return flat_; }  // every array is read, and the target written, in the order of its memory
  // Elements that a thread can read and write at once, 16 bytes at most; 1 unless flat. element_size: of the target.
  int pack(device::Address target, std::size_t element_size) const;
  std::string packed_element(std::string_view k) const;  // of packs xcuda_v0, ...
  std::string packed_loads(int pack) const;
  std::string target_offset() const;  // of element xcuda_i in the target
  // C++ of a conversion and of an operator: spelled out where elements have 16 bits or are complex.
  std::string converted(std::string_view type, std::string_view value) const;
  std::string applied(cell::BinaryOperator op, std::string_view left, std::string_view right) const;
  // The part of the expression that a line of text() comes from.
  cell::Span place(int line) const;

 private:
  struct Leaf {
    const ArrayNode* node = nullptr;
    enum class Access : std::uint8_t { linear, single, strided } access = Access::linear;
    std::vector<std::int64_t> strides;  // over the space
    std::size_t number = 0;
  };
  void collect(const ArrayNode& node);
  void collapse(const Pointer* target);
  void write_element(const ArrayNode& node);
  std::string emit(const ArrayNode& node);  // the name of its value
  std::string value_text(const ArrayNode& node);
  std::string pointer_type(const Pointer& pointer) const;
  void write_access();
  void line(const std::string& text, cell::Span span);
  std::string element_argument(const Leaf& leaf, std::string_view index) const;

  std::string header_;
  Purpose purpose_;
  Shape space_;
  Shape extents_;  // collapsed
  std::uint64_t count_ = 1;
  bool wide_ = false, flat_ = true, target_linear_ = true, special_ = false, complex_ = false, coordinates_ = false,
       places_ = false;
  std::vector<Leaf> arrays_;
  std::vector<const ArrayNode*> scalars_, pointers_;
  std::vector<std::int64_t> target_strides_;
  std::string text_, parameters_, arguments_, names_;
  std::vector<cell::Span> lines_;
  int temporaries_ = 0;
};

}  // namespace xcuda::arrays
