// Which registers a warp stores at a barrier and loads after it. Each has a place of its own in the warp's save area,
// so that a value already there need not be stored again: in a loop with a barrier, all registers but those that the
// loop changes. What is not needed before the next barrier stays there.
#pragma once

#include <vector>

#include "device/cpu/plan/bits.hpp"

namespace xcuda::device::cpu {

struct Plan;

struct SavePlan {
  BitSet saved;                    // registers that are live after some barrier
  std::vector<bool> at_once;       // by block: it is in no cycle, and stores such registers when it writes them
  std::vector<BitSet> at_barrier;  // by block that ends at a barrier: registers to store there
  std::vector<BitSet> restored;    // by block after a barrier: registers to load, which are needed before the next
  std::vector<bool> barrier_loop;  // by block: it is in a cycle with a barrier
};

SavePlan make_save_plan(const Plan& plan);

}  // namespace xcuda::device::cpu
