#include "arrays/selection.hpp"

#include <algorithm>

#include "arrays/array_math.hpp"

namespace xcuda::arrays {
namespace {

ArrayNodePtr index_node(std::size_t dimension, cell::Span span) {
  auto node = std::make_shared<ArrayNode>();
  node->kind = ArrayNode::Kind::index;
  node->dimension = static_cast<int>(dimension);
  node->span = span;
  return node;
}

// The index in the shape of the result: extents of 1 follow where slices do.
Pointer in_place(const Selection& selection, Pointer index) {
  index.strides = strides_of(index);
  const auto after = selection.shape.size() - selection.place - selection.index_shape.size();
  index.shape.insert(index.shape.end(), after, 1);
  index.strides.insert(index.strides.end(), after, 0);
  index.whole = false;
  return index;
}

}  // namespace

ArrayNodePtr offsets_of(const Selection& selection, cell::Span span) {
  const auto strides = strides_of(selection.view);
  ArrayNodePtr sum = scalar_node(language::ScalarValue::of(0L), span);
  const auto add = [&](ArrayNodePtr index, std::int64_t stride) {
    auto term = apply_node(cell::BinaryOperator::multiply,
                           {std::move(index), scalar_node(language::ScalarValue::of(static_cast<long>(stride)), span)},
                           selection.shape, span);
    sum = apply_node(cell::BinaryOperator::add, {sum, std::move(term)}, selection.shape, span);
  };
  std::size_t at = 0;  // in the result
  for (std::size_t d = 0; d < strides.size(); ++d) {
    const auto chosen = std::find_if(selection.chosen.begin(), selection.chosen.end(),
                                     [&](const Selection::Chosen& one) { return one.dimension == d; });
    if (chosen != selection.chosen.end()) {
      add(array_node(in_place(selection, chosen->index), span), strides[d]);
      continue;
    }
    if (at == selection.place) at += selection.index_shape.size();
    add(index_node(at++, span), strides[d]);
  }
  return sum;
}

}  // namespace xcuda::arrays
