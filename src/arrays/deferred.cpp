#include "arrays/deferred.hpp"

#include <algorithm>
#include <utility>

namespace xcuda::arrays {

ArrayNodePtr deferred_node(Deferred deferred, Shape shape, cell::Span span) {
  auto node = std::make_shared<ArrayNode>();
  node->kind = ArrayNode::Kind::deferred;
  node->deferred = std::make_shared<Deferred>(std::move(deferred));
  node->shape = std::move(shape);
  node->span = span;
  return node;
}

const Pointer& value_of(const ArrayNode& node) {
  auto& deferred = *node.deferred;
  if (!deferred.value) deferred.value = deferred.compute(nullptr);
  return *deferred.value;
}

bool compute_into(const ArrayNode& node, const Pointer& target) {
  if (node.kind != ArrayNode::Kind::deferred || node.deferred->value) return false;
  const auto& deferred = *node.deferred;
  if (target.variable || target.type.scalar != deferred.type.scalar || target.type.lanes != deferred.type.lanes ||
      target.shape != node.shape || !is_contiguous(target))
    return false;
  const auto written = bytes_of(target);
  if (std::any_of(deferred.reads.begin(), deferred.reads.end(), [&](const Pointer& one) {
        const auto read = bytes_of(one);
        return read.first < written.last && written.first < read.last;
      }))
    return false;
  deferred.compute(&target);
  return true;
}

}  // namespace xcuda::arrays
