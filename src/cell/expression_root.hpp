// What a chain of subscripts and members begins with: x of x[1].a[2].b.
#pragma once

#include "cell/tree.hpp"

namespace xcuda::cell {

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

}  // namespace xcuda::cell
