// What is decided about a kernel before any code is emitted. The passes that decide it are listed in plan_passes.cpp.
#pragma once

#include <algorithm>
#include <optional>

#include "device/cpu/plan/check_groups.hpp"
#include "device/cpu/plan/flow_graph.hpp"
#include "device/cpu/plan/lane_loops.hpp"
#include "device/cpu/plan/layout.hpp"
#include "device/cpu/plan/origin.hpp"
#include "device/cpu/plan/phases.hpp"
#include "device/cpu/plan/register_form.hpp"
#include "device/cpu/plan/save_plan.hpp"
#include "device/cpu/plan/steps.hpp"

namespace xcuda::device::cpu {

// Blocks in which lanes may be at once, where there are very many. For these the planner does not find which others
// they may be in: while one of them runs, any of those after it may hold lanes, and lanes may wait for any of
// `waiting`. Otherwise time would grow with the cube of the blocks.
struct Crowd {
  static constexpr std::size_t kFewest = 256;  // blocks in a set; quick to compare, and more than most kernels have
  BitSet blocks, waiting;
};

struct Plan {
  Graph graph;
  BlockShape shape;
  PatternTable patterns;
  std::vector<RegisterForm> forms;  // by register
  std::vector<BitSet> pending;      // by block: blocks that may hold runnable lanes while it runs
  std::vector<BitSet> waiting;      // by block: blocks after a barrier that may hold waiting lanes while it runs
  std::vector<BitSet> kept;  // by block: registers that those lanes still need; a write must not touch their lanes
  Crowd crowd;               // is in the three already
  std::vector<bool> reached;
  BitSet together;  // blocks that suspended lanes of one warp may wait for at the same time
  BitSet calls;     // those of Graph::meetings that begin with a call, whose lanes are unknown
  std::vector<LaneLoop> lane_loops;
  LocalLayout local;
  std::vector<Origin> origins;  // by register
  CheckGroups checks;
  Phases phases;
  SavePlan saves;
  Steps steps;
  Dispatch dispatch = Dispatch::inlined;
  std::vector<std::uint32_t> masks;  // by block: where lanes wait for it; of Dispatch::inlined
  BitSet converged;                  // blocks that have code of their own for a warp whose lanes are all on
  BitSet entered;                    // of these, those that may come after one that has none

  bool shared() const { return dispatch == Dispatch::shared; }
  // Lanes that diverged may be together again when the block begins.
  bool joins(BlockIndex block) const {
    return converged.contains(block) && (entered.contains(block) || (pending[block].empty() && waiting[block].empty()));
  }
  bool gathers(BlockIndex block) const {  // joins(), with Dispatch::shared
    return joins(block) || (converged.contains(block) && (graph.meetings.contains(block) || is_resumed(block)));
  }
  bool is_resumed(BlockIndex block) const {
    return std::binary_search(graph.resumes.begin(), graph.resumes.end(), block);
  }
  bool keeps(BlockIndex block, ptx::Register reg) const { return kept[block].contains(reg); }
  const LaneLoop* lane_loop_at(BlockIndex head) const;
  // A branch whose predicate is the same for all lanes that execute it.
  bool diverges(const FlowBlock& block) const {
    return block.ends == FlowBlock::End::branch && !forms[block.predicate].is_uniform();
  }
  RegisterForm form_of(const ptx::Operand& operand) { return rules().operand(operand); }
  // The form of the address of a lane's local memory: base + lane * local.bytes.
  RegisterForm local_form();
  // The blocks among these, where lanes wait, whose lanes wait for lanes of their warp.
  BitSet meetings(const BitSet& blocks) const { return common(blocks, graph.meetings); }
  // The blocks that are not strict meetings. Lanes that wait in vain at a call's meeting go on.
  BitSet others(BitSet blocks) const {
    blocks.erase(strict_meetings(blocks));
    return blocks;
  }
  BitSet strict_meetings(const BitSet& blocks) const {
    BitSet strict = meetings(blocks);
    strict.erase(calls);
    return strict;
  }
  // The blocks whose lanes go on when a barrier is complete.
  BitSet released(BitSet blocks) const {
    blocks.each([&](BlockIndex b) {
      if (graph.blocks[b].after_yield || graph.meetings.contains(b)) blocks.erase(b);
    });
    return blocks;
  }
  FormRules rules() { return FormRules({*graph.function, shape, local.bytes, patterns, forms}); }
};

struct PlanRequest {
  const ptx::Module& module;
  const ptx::Function& function;
  const BlockShape& shape;
  TargetFeatures features;
  bool lane_loops = true;              // may be run lane by lane
  std::optional<Dispatch> dispatch{};  // none: what suits the kernel
  Tier tier = Tier::full;
};
Plan make_plan(const PlanRequest& request);  // all passes; errors: unsupported

}  // namespace xcuda::device::cpu
