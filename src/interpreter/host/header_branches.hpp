// The branches of #if around functions for the host, and around an #include of a header that is read like a cell.
#pragma once

#include <functional>

#include "cell/conditional.hpp"
#include "cell/tree.hpp"

namespace xcuda::interpreter {

// If an #if of the cell holds an #include for which `is_like_a_cell` is true, or a function, and asks only for known
// macros, the pieces of the branch that counts replace the #if; its other pieces are dropped. Include guards count.
void open_branches(cell::Cell& cell, const cell::Macros& macros,
                   const std::function<bool(const cell::DevicePiece&)>& is_like_a_cell);

}  // namespace xcuda::interpreter
