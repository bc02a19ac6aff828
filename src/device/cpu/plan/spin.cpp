#include "device/cpu/plan/spin.hpp"

#include <algorithm>

namespace xcuda::device::cpu {

using ptx::Instruction;
using ptx::Trait;

namespace {

bool tries(const Instruction& instruction) {  // an mbarrier
  return instruction.has_any({ptx::Modifier::test_wait, ptx::Modifier::try_wait});
}

// What other threads may change at any time.
bool listens(const Instruction& instruction) {
  return (instruction.is(Trait::atomic) && instruction.outputs > 0) ||
         (instruction.is(Trait::reads) && instruction.synchronises()) || tries(instruction);
}

// Where waiting is all that can be meant.
bool waits(const Instruction& instruction) { return instruction.is(Trait::sleeps) || tries(instruction); }

// Registers that depend on what was listened to, wherever they are.
BitSet find_news(const ptx::Function& function) {
  BitSet news(function.registers.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction& instruction : function.instructions) {
      const Accesses accesses = accesses_of(function, instruction);
      const bool from_news = listens(instruction) || std::any_of(accesses.reads.begin(), accesses.reads.end(),
                                                                 [&](ptx::Register r) { return news.contains(r); });
      if (!from_news) continue;
      for (ptx::Register r : accesses.writes)
        if (!news.contains(r)) news.insert(r), changed = true;
    }
  }
  return news;
}

}  // namespace

void add_yields(Graph& graph) {
  const ptx::Function& function = *graph.function;
  if (std::none_of(function.instructions.begin(), function.instructions.end(), listens)) return;
  const BitSet news = find_news(function);

  bool flags = false, others = false;  // beside mbarriers, a loop listens to shared memory, or to other memory
  // The loop of a branch back is what is between its target and the branch.
  ptx::Index listened = ptx::kNoIndex;
  auto patience = [&](BlockIndex from, BlockIndex to) -> std::uint32_t {
    bool ends_by_news = false, hears = false, sleeps = false;  // from other threads
    for (BlockIndex b = to; b <= from; ++b) {
      const FlowBlock& block = graph.blocks[b];
      if (block.ends == FlowBlock::End::branch && news.contains(block.predicate)) ends_by_news = true;
      for (ptx::Index i = block.begin; i < block.end; ++i) {
        const bool listening = listens(function.instructions[i]);
        hears |= listening;
        if (listening && !tries(function.instructions[i]))
          (function.instructions[i].space == ptx::Space::shared ? flags : others) = true;
        if (listening) listened = i;
        sleeps |= waits(function.instructions[i]);
      }
    }
    if (!hears || !ends_by_news) return 0;
    return sleeps ? kImpatientTurns : kPatientTurns;
  };
  struct Added {
    BlockIndex from, to;
    std::uint32_t turns;
    ptx::Index listens;
  };
  std::vector<Added> added;
  for (BlockIndex b = 0; b < graph.blocks.size(); ++b)
    for (const BlockIndex to : {graph.blocks[b].taken, graph.blocks[b].next}) {
      if (to == kNoBlock || to > b || graph.blocks[b].ends == FlowBlock::End::barrier) continue;
      if (const std::uint32_t turns = patience(b, to)) {
        added.push_back({b, to, turns, listened});
        break;
      }
    }
  if (added.empty()) return;

  std::vector<BlockIndex> moved(graph.blocks.size());
  BlockIndex shift = 0;
  for (BlockIndex b = 0; b < graph.blocks.size(); ++b) {
    moved[b] = b + shift;
    if (std::any_of(added.begin(), added.end(), [&](const Added& each) { return each.from == b; })) shift += 2;
  }
  auto follow = [&](BlockIndex& b) { b = b == kNoBlock ? kNoBlock : moved[b]; };
  std::vector<FlowBlock> blocks;
  for (BlockIndex b = 0; b < graph.blocks.size(); ++b) {
    FlowBlock block = graph.blocks[b];
    follow(block.taken);
    follow(block.next);
    const auto found = std::find_if(added.begin(), added.end(), [&](const Added& each) { return each.from == b; });
    if (found == added.end()) {
      blocks.push_back(block);
      continue;
    }
    const BlockIndex target = moved[found->to], yield = moved[b] + 1;
    if (block.taken == target) block.taken = yield;
    if (block.next == target) block.next = yield;
    blocks.push_back(block);
    blocks.push_back({.begin = block.end,
                      .end = block.end,
                      .ends = FlowBlock::End::yield,
                      .taken = target,
                      .next = yield + 1,
                      .turns = found->turns});
    blocks.push_back(
        {.begin = block.end, .end = block.end, .next = target, .after_yield = true, .listens = found->listens});
  }
  graph.blocks = std::move(blocks);
  for (BlockIndex& b : graph.resumes) follow(b);
  for (BlockIndex b = 0; b < graph.blocks.size(); ++b)
    if (graph.blocks[b].after_yield) graph.resumes.push_back(b);
  std::sort(graph.resumes.begin(), graph.resumes.end());
  graph.yields = true;
  graph.waits_for = others ? WaitsFor::anything : flags ? WaitsFor::shared_memory : WaitsFor::mbarriers;
}

}  // namespace xcuda::device::cpu
