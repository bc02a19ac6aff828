// Loops that are run lane by lane, as scalar code: one lane from the loop's head until it leaves the loop, then the
// next. Nothing orders the lanes of a warp between two points where they meet, so that any order is right.
//
// This pays where lanes leave a loop at different turns, so that most of a vector is soon off: once few lanes are left,
// or from the beginning where each turn costs about as much as lane by lane, as with gathers and scatters.
#pragma once

#include <vector>

#include "device/cpu/plan/flow_graph.hpp"
#include "device/cpu/plan/target_features.hpp"

namespace xcuda::device::cpu {

struct Plan;

struct LaneLoop {
  static constexpr int kAll = 32;

  BlockIndex head = kNoBlock;  // where the loop is entered, and nowhere else
  BitSet blocks;
  std::vector<BlockIndex> exits;  // blocks after the loop, rising; kNoBlock, the last, for lanes that leave the kernel
  BitSet reads;                   // registers whose value at the head matters
  BitSet written;
  BitSet results;  // of those written: what is live after the loop
  int most = 0;    // up to so many lanes are run one by one; kAll: the loop has no vector code

  bool always() const { return most == kAll; }
};

// Chooses the loops from a plan that was made without them. No two that are `always` share a block.
std::vector<LaneLoop> choose_lane_loops(Plan& plan, const TargetFeatures& features);

}  // namespace xcuda::device::cpu
