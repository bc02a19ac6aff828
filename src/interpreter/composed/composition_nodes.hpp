// Expressions over arrays, from which functions are composed.
#pragma once

#include <string_view>
#include <vector>

#include "arrays/array_math.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"
#include "interpreter/subscripts.hpp"

namespace xcuda::interpreter {

class CompositionNodes : public Part {
 public:
  CompositionNodes(Frame& frame, const FunctionCall& of) : Part(frame), of_(of) {}

  ArrayNodePtr node(const Pointer& pointer) const { return array_node(pointer, of_.span); }
  template <class Number> ArrayNodePtr constant(Number number) const {
    return scalar_node(language::ScalarValue::of(number), of_.span);
  }
  ArrayNodePtr index(std::size_t dimension) const;     // of an element, for nodes of one shape
  ArrayNodePtr pointer(const Pointer& pointer) const;  // an argument of a function that looks where it wants
  ArrayNodePtr binary(cell::BinaryOperator op, ArrayNodePtr a, ArrayNodePtr b);
  ArrayNodePtr choose(ArrayNodePtr condition, ArrayNodePtr yes, ArrayNodePtr no);
  ArrayNodePtr cast(std::string_view type, ArrayNodePtr x);
  ArrayNodePtr apply(std::string_view function, std::vector<ArrayNodePtr> inputs);
  ArrayNodePtr apply(std::string_view function, std::vector<ArrayNodePtr> inputs, Shape shape);

  // Error(value) for an index outside of the extent.
  void check_inside(const Pointer& index, std::uint64_t extent, cell::Span of, cell::Span span);
  // x[indices] along an axis.
  Pointer taken(const Pointer& x, std::size_t axis, const Pointer& index);
  Pointer taken(const Subscripts::Placed& x, std::size_t axis, const Subscripts::Placed& index);

 private:
  const FunctionCall& of_;
};

}  // namespace xcuda::interpreter
