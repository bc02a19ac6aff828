// Calls that may be assigned to: those that name a part of an array, or one of its copies, local(x), x.device(1); and
// std::tie(a, b).
#pragma once

#include "language/functions.hpp"

namespace xcuda::language {

// The row of the function; null for any other call.
const Function* part_function(const cell::Call& call);

bool is_tie(const cell::Call& call);

}  // namespace xcuda::language
