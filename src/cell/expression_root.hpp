// The innermost part of an expression.
#pragma once

#include "cell/tree.hpp"

namespace xcuda::cell {

// What a chain of subscripts and members begins with: x of x[1].a[2].b.
inline const Expression& root_of(const Expression& expression) {
  const auto* at = &expression;
  for (;;) {
    if (const auto* member = std::get_if<Member>(&at->node))
      at = member->base.get();
    else if (const auto* index = std::get_if<Index>(&at->node))
      at = index->base.get();
    else
      return *at;
  }
}

// x of (void**)x.
inline const Expression& without_casts(const Expression& expression) {
  const auto* inner = &expression;
  while (const auto* cast = std::get_if<Cast>(&inner->node)) inner = cast->operand.get();
  return *inner;
}

}  // namespace xcuda::cell
