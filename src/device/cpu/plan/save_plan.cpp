#include "device/cpu/plan/save_plan.hpp"

#include "device/cpu/plan/plan.hpp"

namespace xcuda::device::cpu {

namespace {

// By block the blocks after it; barriers are passed.
std::vector<BitSet> reached_from(const Graph& graph) {
  const std::size_t count = graph.blocks.size();
  std::vector<BitSet> reached(count, BitSet(count));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = count; b-- > 0;)
      for (const BlockIndex next : {graph.blocks[b].next, graph.blocks[b].taken}) {
        if (next == kNoBlock) continue;
        if (!reached[b].contains(next)) reached[b].insert(next), changed = true;
        changed |= reached[b].insert(reached[next]);
      }
  }
  return reached;
}

}  // namespace

SavePlan make_save_plan(const Plan& plan) {
  const Graph& graph = plan.graph;
  const ptx::Function& function = *graph.function;
  const std::size_t registers = function.registers.size(), count = graph.blocks.size();
  SavePlan saves{BitSet(registers), std::vector<bool>(count), std::vector<BitSet>(count, BitSet(registers)),
                 std::vector<bool>(count)};
  for (const BlockIndex b : graph.resumes) saves.saved.insert(graph.live[b]);
  plan.together.each([&](BlockIndex b) { saves.saved.insert(graph.live[b]); });
  if (!graph.barriers()) return saves;

  const std::vector<BitSet> reached = reached_from(graph);
  std::vector<bool> cyclic(count);
  for (std::size_t b = 0; b < count; ++b) {
    cyclic[b] = reached[b].contains(b);
    for (std::size_t barrier = 0; barrier < count; ++barrier)
      if (graph.blocks[barrier].ends == FlowBlock::End::barrier && reached[barrier].contains(b) &&
          reached[b].contains(barrier))
        saves.barrier_loop[b] = true;
  }
  std::vector<BitSet> written(count, BitSet(registers)),
      stale(count, BitSet(registers));  // stale: at the block's start
  for (std::size_t b = 0; b < count; ++b) {
    saves.at_once[b] = !cyclic[b];
    for (ptx::Index i = graph.blocks[b].begin; i < graph.blocks[b].end; ++i)
      for (const ptx::Register reg : accesses_of(function, function.instructions[i]).writes) written[b].insert(reg);
  }
  for (const LaneLoop& loop : plan.lane_loops) written[loop.head].insert(loop.written);
  stale[0].insert(graph.live[0]);  // read before written: whatever it is, it has to stay
  auto behind = [&](std::size_t b) {
    BitSet set = stale[b];
    if (cyclic[b])
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
      const BitSet set = behind(b);
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
      saves.at_barrier[b] = common(behind(b), graph.live[graph.blocks[b].next]);
  return saves;
}

}  // namespace xcuda::device::cpu
