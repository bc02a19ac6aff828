// What nodes do when their turn comes.
#pragma once

#include "runtime/api_calls.hpp"

namespace xcuda::runtime {

// The item for a kernel, a copy, a fill or a function of the host.
Item item_of(Work work);
// Adds the next node to what the stream captures.
void capture(Stream& stream, Work work);
// Errors: memory that the last launch allocated is not freed yet.
cudaError_t launch(State& state, Executable& executable, Stream& on);

}  // namespace xcuda::runtime
