// What nodes do when their turn comes.
#pragma once

#include "runtime/api_calls.hpp"

namespace xcuda::runtime {

// Of a kernel, a copy, a fill or a function of the host.
Item item_of(Work work);
// The next node of what the stream captures.
void capture(Stream& stream, Work work);
// Errors: memory that the last launch allocated and nobody has freed.
cudaError_t launch(State& state, Executable& executable, Stream& on);

}  // namespace xcuda::runtime
