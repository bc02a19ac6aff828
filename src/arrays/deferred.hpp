// What a library computes, in an expression: where its elements are wanted, so that they may go to their target at
// once.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "arrays/array_node.hpp"

namespace xcuda::arrays {

struct Deferred {
  Type type;
  std::vector<Pointer> reads;
  // Into the target, which has the type and the shape, no gaps, and nothing of what is read; null: into other memory.
  std::function<Pointer(const Pointer* target)> compute;
  std::optional<Pointer> value;  // once it was computed
};

ArrayNodePtr deferred_node(Deferred deferred, Shape shape, cell::Span span);
const Pointer& value_of(const ArrayNode& node);                   // of a deferred one
bool compute_into(const ArrayNode& node, const Pointer& target);  // whether it could; then it did

}  // namespace xcuda::arrays
