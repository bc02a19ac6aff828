// What each pass of a plan found, as text: for people, and for golden files. Blocks are b0, b1, ... in the order of the
// text; lines are those of the PTX.
#pragma once

#include <string>

namespace xcuda::device::cpu {

struct PlanWork;

std::string graph_text(const PlanWork& work);  // how blocks end, and what is live into them
std::string forms_text(const PlanWork& work);  // which lanes may wait while a block runs, and the form of each register
std::string meetings_text(const PlanWork& work);    // where lanes of a warp wait for one another
std::string lane_loops_text(const PlanWork& work);  // loops that are run lane by lane
std::string origins_text(const PlanWork& work);     // where the pointers in registers come from
std::string checks_text(const PlanWork& work);      // accesses that are checked together
std::string phases_text(const PlanWork& work);      // accesses that are alone between two barriers
std::string saves_text(const PlanWork& work);       // what is stored where warps wait
std::string steps_text(const PlanWork& work);       // by how much addresses move from turn to turn
std::string clones_text(const PlanWork& work);
std::string dispatch_text(const PlanWork& work);
std::string masks_text(const PlanWork& work);  // where lanes wait for a block to run

}  // namespace xcuda::device::cpu
