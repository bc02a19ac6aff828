#include "device/cpu/plan/save_plan.hpp"

#include <utility>

#include "device/cpu/plan/plan.hpp"

namespace xcuda::device::cpu {

namespace {

// By block after a barrier, the registers to load there. What is stored counts as read: a block may write a register
// for some lanes only, and what the other lanes hold is stored with it.
std::vector<BitSet> restored_at(const Plan& plan, const SavePlan& saves, BlockAccesses used) {
  const Graph& graph = plan.graph;
  if (!plan.together.empty()) return graph.live;  // where lanes wait for different blocks, all that is live is stored
  for (std::size_t b = 0; b < graph.blocks.size(); ++b) {
    used.reads[b].insert(saves.at_barrier[b]);
    if (saves.at_once[b]) used.reads[b].insert(common(used.writes[b], saves.saved));
  }
  std::vector<BitSet> restored = live_registers(graph, used, Ways::to_barriers);
  for (std::size_t b = 0; b < restored.size(); ++b) restored[b] = common(restored[b], graph.live[b]);
  return restored;
}

}  // namespace

SavePlan make_save_plan(const Plan& plan) {
  const Graph& graph = plan.graph;
  const std::size_t registers = graph.function->registers.size(), count = graph.blocks.size();
  SavePlan saves{BitSet(registers),
                 std::vector<bool>(count),
                 std::vector<BitSet>(count, BitSet(registers)),
                 {},
                 std::vector<bool>(count)};
  for (const BlockIndex b : graph.resumes) saves.saved.insert(graph.live[b]);
  plan.together.each([&](BlockIndex b) { saves.saved.insert(graph.live[b]); });
  if (!graph.barriers()) return saves;

  const std::vector<BlockIndex> cycles = cycles_of(graph);
  BitSet with_barrier(count);  // cycles
  for (std::size_t b = 0; b < count; ++b)
    if (cycles[b] != kNoBlock && graph.blocks[b].ends == FlowBlock::End::barrier) with_barrier.insert(cycles[b]);
  BlockAccesses accesses = accesses_of(graph);
  std::vector<BitSet> written = accesses.writes, stale(count, BitSet(registers));  // stale: at the block's start
  for (std::size_t b = 0; b < count; ++b) {
    saves.at_once[b] = cycles[b] == kNoBlock;
    saves.barrier_loop[b] = cycles[b] != kNoBlock && with_barrier.contains(cycles[b]);
  }
  for (const LaneLoop& loop : plan.lane_loops) written[loop.head].insert(loop.written);
  stale[0].insert(graph.live[0]);  // read before written: whatever it is, it has to stay
  auto stale_after = [&](std::size_t b) {
    BitSet set = stale[b];
    if (cycles[b] != kNoBlock)
      set.insert(written[b]);
    else
      set.erase(written[b]);
    return set;
  };
  // For the crowd: the stale registers after any of its blocks so far, and after any of them where lanes meet.
  const BitSet crowd_meets = plan.meetings(plan.crowd.waiting);
  BitSet after_crowd(registers), where_crowd_meets(registers);
  for (bool changed = true; changed;) {
    changed = false;
    after_crowd = BitSet(registers);
    for (std::size_t b = 0; b < count; ++b) {
      const bool in_crowd = plan.crowd.blocks.contains(b);
      if (in_crowd) changed |= stale[b].insert(after_crowd);
      if (crowd_meets.contains(b)) changed |= stale[b].insert(where_crowd_meets);
      const BitSet set = stale_after(b);
      const FlowBlock& block = graph.blocks[b];
      // Where lanes have diverged, another block that holds lanes may run next.
      BitSet others = plan.pending[b], met = plan.meetings(plan.waiting[b]);
      if (in_crowd) {
        after_crowd.insert(set);
        where_crowd_meets.insert(set);
        others.erase(plan.crowd.blocks);
        met.erase(crowd_meets);
      }
      others.insert(met);
      others.each([&](BlockIndex next) { changed |= stale[next].insert(set); });
      if (block.ends == FlowBlock::End::barrier) continue;  // after it everything was loaded
      for (const BlockIndex next : {block.next, block.taken})
        if (next != kNoBlock) changed |= stale[next].insert(set);
    }
  }
  for (std::size_t b = 0; b < count; ++b)
    if (graph.blocks[b].ends == FlowBlock::End::barrier && graph.blocks[b].next != kNoBlock)
      saves.at_barrier[b] = common(stale_after(b), graph.live[graph.blocks[b].next]);
  saves.restored = restored_at(plan, saves, std::move(accesses));
  return saves;
}

}  // namespace xcuda::device::cpu
