// Operators over whole arrays: a tree while they are evaluated, a kernel when the elements are wanted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "arrays/array_node.hpp"
#include "arrays/reduce_request.hpp"
#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

bool is_array(const Value& value);
// Whether a value has its operators on the device: arrays, structs and vectors. Results without arrays are read back.
bool has_device_operators(const Value& value);

std::string reducer_text(std::string_view reducer);  // "xcuda::Sum<xcuda_Own>"

class ArrayExpressions : public Part {
 public:
  explicit ArrayExpressions(Frame& frame) : Part(frame) {}

  ArrayNodePtr node_of(const Value& value, const cell::Expression& expression);        // of an operand: numbers, too
  ArrayNodePtr node_if_array(const Value& value, const cell::Expression& expression);  // null unless it is an array
  // A node whose shape is the broadcast of the inputs' shapes. Error(value) where they have none.
  ArrayNodePtr combine(ArrayNode::Kind kind, const std::string& text, std::vector<ArrayNodePtr> inputs,
                       cell::Span span);
  ArrayNodePtr combine(cell::UnaryOperator op, std::vector<ArrayNodePtr> inputs, cell::Span span);
  ArrayNodePtr combine(cell::BinaryOperator op, std::vector<ArrayNodePtr> inputs, cell::Span span);
  struct Operand {
    const Value& value;
    const cell::Expression& expression;
  };
  Value operate(cell::UnaryOperator op, const Operand& operand, cell::Span span);
  Value operate(cell::BinaryOperator op, const Operand& left, const Operand& right, cell::Span span);

  // A number if the result has no extents; for a number all of these synchronise.
  Value number_or_array(const ArrayNodePtr& node);
  Value number_or_elements(Pointer result);
  Value number_of(Pointer result);
  // What a reduction over everything gives. reducer: of xcuda/reduce.cuh, "Sum".
  Value reduced(ReduceRequest request);
  Value reduced(ArrayNodePtr node, std::string_view reducer);

 private:
  Shape common_shape(const std::vector<ArrayNodePtr>& inputs, cell::Span span) const;
};

}  // namespace xcuda::interpreter
