// Memory that nodes of graphs allocate and free, and words of conditions. It is one piece at one address from when the
// node is made until no graph has the node; a GPU takes and gives back the memory under the address.
#pragma once

#include <memory>

#include "runtime/api_calls.hpp"

namespace xcuda::runtime {

std::shared_ptr<GraphMemory> make_graph_memory(State& state, std::size_t bytes);
std::shared_ptr<GraphMemory> make_condition(State& state);
// Frees memory for the program, in the order of the calls. Errors: it is not allocated now.
cudaError_t free_graph_memory(State& state, const void* address);
void allocate_graph_memory(State& state, GraphMemory& memory);  // by a launch
// Gives back the memory of graphs that are gone, after the work that was posted.
void give_back_graph_memory(State& state);

}  // namespace xcuda::runtime
