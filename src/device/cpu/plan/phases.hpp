// What may happen between two barriers. All threads of a block go from one barrier to the next together (--race reports
// those that wait at different ones), so the graph tells which accesses of shared memory nothing can race with,
// wherever they go: reads where nothing writes, and atomics where nothing else accesses. In most kernels with tiles
// these are the reads of the inner loop.
#pragma once

#include <vector>

#include "device/cpu/plan/flow_graph.hpp"
#include "device/cpu/plan/origin.hpp"

namespace xcuda::device::cpu {

struct Phases {
  BitSet alone;   // instructions that access shared memory, and nothing else there can race with them
  BitSet unread;  // that write shared memory which no thread reads before the next barrier
  // Threads may pass on what they know with atomics: there are fences, or atomics that release.
  bool exchanges = false;
};
Phases find_phases(const ptx::Module& module, const Graph& graph, const std::vector<Origin>& origins);

}  // namespace xcuda::device::cpu
