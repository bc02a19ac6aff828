#include "device/cpu/lower/reaching_values.hpp"

#include <algorithm>
#include <utility>

#include "device/cpu/lower/live_registers.hpp"

namespace xcuda::device::cpu {

using ptx::Function;
using ptx::Index;
using ptx::Instruction;
using ptx::Register;

namespace {

constexpr std::size_t kMost = std::size_t{1} << 20;  // blocks times registers
constexpr Site kNone = ~Site{0};                     // not known yet

}  // namespace

std::optional<ReachingValues> ReachingValues::of(const Function& function) {
  const auto& all = function.instructions;
  if (all.empty() ||
      std::any_of(all.begin(), all.end(), [](const Instruction& each) { return each.targets != ptx::kNoIndex; }))
    return std::nullopt;
  ReachingValues values(function);
  values.divide();
  if (values.blocks_.size() * function.registers.size() > kMost) return std::nullopt;
  values.order(0);
  values.settle();
  return values;
}

void ReachingValues::divide() {
  const auto& all = function_.instructions;
  const std::size_t count = all.size();
  std::vector<bool> begins(count + 1);
  begins[0] = true;
  for (const ptx::Label& label : function_.labels) begins[label.instruction] = true;
  for (std::size_t i = 0; i < count; ++i)
    if (all[i].opcode == ptx::Opcode::bra || all[i].is(ptx::Trait::leaves)) begins[i + 1] = true;
  std::vector<BlockIndex> of(count + 1);
  for (Index i = 0; i < count; ++i) {
    if (begins[i]) blocks_.push_back({i, i, {}, {}});
    blocks_.back().end = i + 1;
    of[i] = static_cast<BlockIndex>(blocks_.size() - 1);
  }
  const auto go = [&](BlockIndex from, Index to) {
    if (to == count) return;  // as if there were a ret
    blocks_[from].next.push_back(of[to]);
    blocks_[of[to]].before.push_back(from);
  };
  for (BlockIndex b = 0; b < blocks_.size(); ++b) {
    const Instruction& last = all[blocks_[b].end - 1];
    if (last.opcode == ptx::Opcode::bra) go(b, function_.labels[function_.operands_of(last)[0].index].instruction);
    if (!always_leaves(last)) go(b, blocks_[b].end);
  }
}

void ReachingValues::order(BlockIndex first) {
  std::vector<bool> seen(blocks_.size());
  std::vector<std::pair<BlockIndex, std::size_t>> path{{first, 0}};  // and how many of its successors were seen
  seen[first] = true;
  while (!path.empty()) {
    auto& [block, at] = path.back();
    if (at == blocks_[block].next.size()) {
      order_.push_back(block);
      path.pop_back();
      continue;
    }
    const BlockIndex next = blocks_[block].next[at++];
    if (!seen[next]) {
      seen[next] = true;
      path.emplace_back(next, 0);
    }
  }
  std::reverse(order_.begin(), order_.end());
  rank_.assign(blocks_.size(), blocks_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
}

void ReachingValues::pass(Index instruction, std::vector<Site>& held) const {
  each_written(function_, function_.instructions[instruction], [&](Register reg) { held[reg] = instruction; });
}

// A site stays once it is the block's own, so this ends.
bool ReachingValues::enter(BlockIndex block, std::vector<std::vector<Site>>& left) {
  const auto own = static_cast<Site>(function_.instructions.size() + block);
  bool changed = false;
  for (Register reg = 0; reg < function_.registers.size(); ++reg) {
    Site& here = held_[block][reg];
    if (here == own) continue;
    Site met = kNone;
    for (const BlockIndex before : blocks_[block].before) {
      const Site there = left[before].empty() ? kNone : left[before][reg];
      if (there == kNone || there == met) continue;
      met = met == kNone ? there : own;
    }
    if (met == here) continue;
    here = met;
    changed = true;
  }
  return changed;
}

void ReachingValues::settle() {
  const std::size_t registers = function_.registers.size();
  std::vector<std::vector<Site>> left(blocks_.size());  // by block, at its end
  held_.assign(blocks_.size(), std::vector<Site>(registers, kNone));
  held_[0].assign(registers, static_cast<Site>(function_.instructions.size()));
  for (bool changed = true; changed;) {
    changed = false;
    for (const BlockIndex b : order_) {
      if (!enter(b, left) && !left[b].empty()) continue;
      changed = true;
      left[b] = held_[b];
      for (Index i = blocks_[b].begin; i < blocks_[b].end; ++i) pass(i, left[b]);
    }
  }
}

std::vector<ReachingValues::Way> ReachingValues::ways_to(Site site) const {
  const auto block = static_cast<BlockIndex>(site - function_.instructions.size());
  std::vector<Way> ways;
  if (block == 0) return ways;
  for (const BlockIndex before : blocks_[block].before) {
    if (rank_[before] == blocks_.size()) continue;  // no thread comes from there
    if (rank_[before] >= rank_[block]) return {};
    Way way{held_[before]};
    for (Index i = blocks_[before].begin; i < blocks_[before].end; ++i) pass(i, way.held);
    if (const auto& from = blocks_[before].before; from.size() == 1 && blocks_[from[0]].next.size() == 2) {
      const Block& fork = blocks_[from[0]];
      const Index branch = fork.end - 1;
      if (function_.instructions[branch].opcode == ptx::Opcode::bra && fork.next[0] != fork.next[1]) {
        way.branch = branch;
        way.taken = fork.next[0] == before;
      }
    }
    ways.push_back(std::move(way));
  }
  return ways;
}

void ReachingValues::each(const Visit& visit) const {
  for (const BlockIndex b : order_) {
    std::vector<Site> held = held_[b];
    for (Index i = blocks_[b].begin; i < blocks_[b].end; ++i) {
      visit(i, held);
      pass(i, held);
    }
  }
}

}  // namespace xcuda::device::cpu
