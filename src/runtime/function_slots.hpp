// The functions by the number of their row, for the library that programs link with.
#pragma once

namespace xcuda::runtime {

extern const void* const kFunctionSlots[];

}  // namespace xcuda::runtime
