// Finds for each block which other blocks may hold lanes while it runs, and for each register the form it is held in.
// The two depend on each other, and both only grow, so that the joint fixpoint ends.
//
// Lanes of a warp run in the order of the text ("thread frontiers"): of all blocks that hold lanes the first runs. So
// lanes that diverge meet again at the first block that they have in common, for any graph, reducible or not.
#pragma once

namespace xcuda::device::cpu {

struct Plan;

// Uses the graph, the shape and the lane loops, if there are any yet.
void find_frontiers(Plan& plan);

}  // namespace xcuda::device::cpu
