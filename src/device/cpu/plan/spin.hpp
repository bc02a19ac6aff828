// Loops that may wait for other threads: their end depends on an atomic, on a volatile or acquiring load, or on an
// mbarrier. At the end of each turn their lanes may give way to the other lanes of the warp, to other warps, and to
// other blocks; without that they would wait for ever for a thread that never runs.
#pragma once

#include "device/cpu/plan/flow_graph.hpp"

namespace xcuda::device::cpu {

// Adds blocks that give way to the graph of a kernel.
void add_yields(Graph& graph);

// How many turns a loop may spin before it yields to other blocks: fewer if its turns sleep (impatient).
constexpr std::uint32_t kPatientTurns = 64, kImpatientTurns = 2;

}  // namespace xcuda::device::cpu
