#include "arrays/array_pattern.hpp"

#include <algorithm>

#include "arrays/same_view.hpp"

namespace xcuda::arrays {
namespace {

using Kind = ArrayNode::Kind;

bool same_operand(const ArrayNode& a, const ArrayNode& b) {
  if (a.kind != Kind::array || b.kind != Kind::array) return &a == &b;
  return same_view(a.array, b.array);
}

}  // namespace

std::size_t ArrayPattern::Nodes::find(const ArrayNode* node) const {
  return static_cast<std::size_t>(std::find(nodes_.begin(), nodes_.begin() + size_, node) - nodes_.begin());
}

bool ArrayPattern::collect(const ArrayNode& node, Nodes& nodes) {
  if (nodes.size_ == kMost || node.kind >= Kind::product) return false;
  nodes.nodes_[nodes.size_++] = &node;
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](const auto& input) { return collect(*input, nodes); });
}

std::size_t ArrayPattern::first_of(const Nodes& nodes, std::size_t at) {
  std::size_t first = 0;
  while (!same_operand(nodes[first], nodes[at])) ++first;
  return first;
}

std::optional<ArrayPattern> ArrayPattern::of(const ArrayNode& node, Nodes& nodes) {
  nodes.size_ = 0;
  if (!collect(node, nodes)) {
    nodes.size_ = 0;
    return std::nullopt;
  }
  ArrayPattern pattern;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto& one = nodes[i];
    auto& step = pattern.steps_.emplace_back();
    step.kind = one.kind;
    step.inputs = one.inputs.size();
    step.unary = one.unary;
    step.binary = one.binary;
    step.dimension = one.dimension;
    step.of_cells = one.of_cells;
    step.text = one.text;
    step.shape = one.shape;
    if (!is_operand(one.kind)) continue;
    step.read_only = one.array.read_only;
    step.type = one.array.type;
    step.strides = one.array.strides;
    step.misaligned = one.array.address % kWidestAccess;
    step.first = first_of(nodes, i);
  }
  return pattern;
}

bool ArrayPattern::fits(const Step& step, const ArrayNode& node) {
  if (step.kind != node.kind || step.inputs != node.inputs.size() || step.shape != node.shape) return false;
  switch (node.kind) {
    case Kind::unary: return step.unary == node.unary;
    case Kind::binary: return step.binary == node.binary;
    case Kind::index: return step.dimension == node.dimension;
    case Kind::array:
    case Kind::pointer:
    case Kind::scalar: break;
    default: return step.text == node.text && step.of_cells == node.of_cells;
  }
  const auto& array = node.array;
  return step.misaligned == array.address % kWidestAccess && step.read_only == array.read_only &&
         step.type == array.type && step.strides == array.strides;
}

bool ArrayPattern::matches(const ArrayNode& node, Nodes& nodes) const {
  if (steps_.front().kind != node.kind || steps_.front().shape != node.shape) return false;
  nodes.size_ = 0;
  if (!collect(node, nodes) || nodes.size() != steps_.size()) return false;
  for (std::size_t i = 0; i < steps_.size(); ++i)
    if (!fits(steps_[i], nodes[i]) || (is_operand(steps_[i].kind) && first_of(nodes, i) != steps_[i].first))
      return false;
  return true;
}

}  // namespace xcuda::arrays
