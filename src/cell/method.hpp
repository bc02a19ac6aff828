// A function that is called like a member: x.sum(axis = 0) is sum(x, axis = 0).
#pragma once

#include "cell/tree.hpp"

namespace xcuda::cell {

// Its parts have the places that they have in the text; the whole has that of the call.
ExpressionPtr copy_of(const Expression& expression);
ExpressionPtr as_function(const Call& call, const Member& member, Span span);

}  // namespace xcuda::cell
