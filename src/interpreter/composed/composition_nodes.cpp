#include "interpreter/composed/composition_nodes.hpp"

#include "interpreter/array_expressions.hpp"
#include "interpreter/subscripts.hpp"

namespace xcuda::interpreter {

ArrayNodePtr CompositionNodes::index(std::size_t dimension) const {
  auto node = std::make_shared<ArrayNode>();
  node->kind = ArrayNode::Kind::index;
  node->dimension = static_cast<int>(dimension);
  node->span = of_.span;
  return node;
}

ArrayNodePtr CompositionNodes::pointer(const Pointer& pointer) const {
  auto node = std::make_shared<ArrayNode>();
  node->kind = ArrayNode::Kind::pointer;
  node->array = pointer;
  node->span = of_.span;
  return node;
}

ArrayNodePtr CompositionNodes::binary(cell::BinaryOperator op, ArrayNodePtr a, ArrayNodePtr b) {
  return frame_.array_expressions.combine(op, {std::move(a), std::move(b)}, of_.span);
}

ArrayNodePtr CompositionNodes::choose(ArrayNodePtr condition, ArrayNodePtr yes, ArrayNodePtr no) {
  return frame_.array_expressions.combine(ArrayNode::Kind::ternary, "?",
                                          {std::move(condition), std::move(yes), std::move(no)}, of_.span);
}

ArrayNodePtr CompositionNodes::cast(std::string_view type, ArrayNodePtr x) {
  return frame_.array_expressions.combine(ArrayNode::Kind::cast, std::string(type), {std::move(x)}, of_.span);
}

ArrayNodePtr CompositionNodes::apply(std::string_view function, std::vector<ArrayNodePtr> inputs) {
  return frame_.array_expressions.combine(ArrayNode::Kind::function, std::string(function), std::move(inputs),
                                          of_.span);
}

ArrayNodePtr CompositionNodes::apply(std::string_view function, std::vector<ArrayNodePtr> inputs, Shape shape) {
  return apply_node(ArrayNode::Kind::function, std::string(function), std::move(inputs), std::move(shape), of_.span);
}

void CompositionNodes::check_inside(const Pointer& index, std::uint64_t extent, cell::Span of, cell::Span span) {
  frame_.subscripts.check_inside(index, extent, of, span);
}

Pointer CompositionNodes::taken(const Pointer& x, std::size_t axis, const Pointer& index) {
  return taken({x, of_.span}, axis, {index, of_.span});
}

Pointer CompositionNodes::taken(const Subscripts::Placed& x, std::size_t axis, const Subscripts::Placed& index) {
  return frame_.subscripts.along(x, axis, index);
}

}  // namespace xcuda::interpreter
