// Calls of libraries whose plans tell how much workspace they need: memory of the session, for the time of the call.
#pragma once

#include <string>

#include "arrays/array_math.hpp"
#include "library/call.hpp"

namespace xcuda::arrays {

library::Operand operand_at(const Pointer& pointer);  // where it lies
// Posts a call with the workspace of its plan. Errors: unsupported, device, memory.
void post_planned(ArrayMath& math, Workspace& workspace, library::Call call, const std::string& name);

}  // namespace xcuda::arrays
