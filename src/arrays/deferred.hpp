// What a library computes in an expression: computed where its elements are wanted, so that they go straight to their
// target if possible.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "arrays/array_node.hpp"

namespace xcuda::arrays {

struct Deferred {
  Type type;
  std::vector<Pointer> reads;
  // Computes into the target, which has the type and shape, no gaps, and no memory that is read; null: other memory.
  std::function<Pointer(const Pointer* target)> compute;
  // The same for the elements [first, last) along an axis, where they need no others; null, or a null node: they do.
  std::function<ArrayNodePtr(std::size_t axis, std::uint64_t first, std::uint64_t last)> part{};
  bool sorts = false;            // the values of reads.front(), which has one dimension
  std::optional<Pointer> value;  // once it was computed
};

ArrayNodePtr deferred_node(Deferred deferred, Shape shape, cell::Span span);
const Pointer& value_of(const ArrayNode& node);                   // of a deferred one
bool compute_into(const ArrayNode& node, const Pointer& target);  // true: done; false: it cannot

}  // namespace xcuda::arrays
