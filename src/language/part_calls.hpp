// Calls that name a part of an array, or one of its copies, and may be assigned to: local(x), x.device(1).
#pragma once

#include "language/functions.hpp"

namespace xcuda::language {

// The row of the function; null for any other call.
const Function* part_function(const cell::Call& call);

}  // namespace xcuda::language
