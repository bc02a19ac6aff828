#include "device/cpu/plan/flow_graph.hpp"

#include <algorithm>

#include "device/cpu/plan/spin.hpp"

namespace xcuda::device::cpu {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::Register;
using ptx::Trait;

namespace {

bool is_barrier(const Instruction& instruction) {
  const bool some = instruction.operand_count > 1 || instruction.guarded();  // of some warps only
  return instruction.is_barrier_of_block() && !some &&
         !instruction.has_any({ptx::Modifier::red, ptx::Modifier::arrive});
}

// A barrier that gives all threads a count or a vote.
bool is_reduction(const Instruction& instruction) {
  return instruction.is(Trait::barrier) && instruction.has(ptx::Modifier::red) && instruction.operand_count == 3 &&
         !instruction.guarded();
}

void collect(const Function& function, const Operand& operand, std::vector<Register>& into) {
  switch (operand.kind) {
    case Operand::Kind::reg:
      if (operand.reg != ptx::kNoIndex) into.push_back(operand.reg);
      if (operand.second != ptx::kNoIndex) into.push_back(operand.second);
      break;
    case Operand::Kind::address:
      if (operand.reg != ptx::kNoIndex) into.push_back(operand.reg);
      break;
    case Operand::Kind::vector:
      for (const Operand& element : function.elements_of(operand)) collect(function, element, into);
      if (operand.second != ptx::kNoIndex) into.push_back(operand.second);
      break;
    default: break;
  }
}

void split_blocks(const Function& function, const std::vector<bool>& meets, Graph& graph) {
  const auto& instructions = function.instructions;
  const auto count = static_cast<ptx::Index>(instructions.size());
  std::vector<bool> starts(count + 1, false);
  starts[0] = true;
  for (const ptx::Label& label : function.labels) starts[std::min(label.instruction, count)] = true;
  for (ptx::Index i = 0; i < count; ++i)
    if (instructions[i].family() == ptx::Family::control || is_barrier(instructions[i])) starts[i + 1] = true;

  std::vector<BlockIndex> block_at(count + 1, kNoBlock);
  for (ptx::Index i = 0; i < count; ++i) {
    if (starts[i]) {
      if (!graph.blocks.empty()) graph.blocks.back().end = i;
      graph.blocks.push_back({.begin = i, .end = count});
    }
    if (is_reduction(instructions[i])) {  // the block before it arrives, the one after it begins with the result
      block_at[i] = static_cast<BlockIndex>(graph.blocks.size() - 1);
      graph.blocks.back().end = i;
      graph.blocks.back().arrives = i;
      graph.blocks.push_back({.begin = i, .end = count});
      continue;
    }
    block_at[i] = static_cast<BlockIndex>(graph.blocks.size() - 1);
    if (meets[i]) {  // jumps to it go to the block before, which may be empty
      graph.blocks.back().end = i;
      graph.blocks.back().ends = FlowBlock::End::meet;
      graph.blocks.push_back({.begin = i, .end = count});
    }
  }
  auto block_behind = [&](ptx::Index i) { return i < count ? block_at[i] : kNoBlock; };

  if (graph.blocks.empty()) graph.blocks.push_back({.ends = FlowBlock::End::leave});
  for (FlowBlock& block : graph.blocks) {
    if (block.arrives != ptx::kNoIndex) {
      block.ends = FlowBlock::End::barrier;
      block.next = static_cast<BlockIndex>(&block - graph.blocks.data()) + 1;
      graph.resumes.push_back(block.next);
      continue;
    }
    if (block.ends == FlowBlock::End::meet) {
      block.next = static_cast<BlockIndex>(&block - graph.blocks.data()) + 1;
      continue;
    }
    if (block.begin == block.end) continue;
    const Instruction& last = instructions[block.end - 1];
    block.next = block_behind(block.end);
    if (last.is(Trait::branches)) {
      const Operand& target = function.operands_of(last)[0];
      const BlockIndex taken = block_behind(function.labels[target.index].instruction);
      if (last.guarded()) {
        block.ends = FlowBlock::End::branch;
        block.taken = taken;
        block.predicate = last.guard;
        block.negated = last.guard_negated;
      } else {
        block.next = taken;
      }
    } else if (last.is(Trait::leaves)) {
      if (last.guarded()) {
        block.ends = FlowBlock::End::branch;
        block.predicate = last.guard;
        block.negated = last.guard_negated;
      } else {
        block.ends = FlowBlock::End::leave;
        block.next = kNoBlock;
      }
    } else if (is_barrier(last)) {
      block.ends = FlowBlock::End::barrier;
      if (block.next != kNoBlock) graph.resumes.push_back(block.next);
    }
    if (block.ends == FlowBlock::End::next && block.next == kNoBlock) block.ends = FlowBlock::End::leave;
  }
  std::sort(graph.resumes.begin(), graph.resumes.end());
}

void find_live(const Function& function, Graph& graph) {
  const std::size_t registers = function.registers.size(), blocks = graph.blocks.size();
  std::vector<BitSet> reads(blocks, BitSet(registers)), kills(blocks, BitSet(registers));
  for (std::size_t b = 0; b < blocks; ++b)
    for (ptx::Index i = graph.blocks[b].begin; i < graph.blocks[b].end; ++i) {
      const Accesses accesses = accesses_of(function, function.instructions[i]);
      for (Register r : accesses.reads)
        if (!kills[b].contains(r)) reads[b].insert(r);
      for (Register r : accesses.writes) kills[b].insert(r);
    }
  graph.live = reads;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks; b-- > 0;) {
      BitSet out(registers);
      for (BlockIndex next : {graph.blocks[b].next, graph.blocks[b].taken})
        if (next != kNoBlock) out.insert(graph.live[next]);
      out.erase(kills[b]);
      changed |= graph.live[b].insert(out);
    }
  }
}

}  // namespace

Accesses accesses_of(const Function& function, const Instruction& instruction) {
  Accesses accesses;
  const auto operands = function.operands_of(instruction);
  for (std::size_t i = 0; i < operands.size(); ++i)
    collect(function, operands[i],
            i < instruction.outputs && operands[i].kind != Operand::Kind::address ? accesses.writes : accesses.reads);
  if (instruction.call != ptx::kNoIndex) {
    const ptx::Call& call = function.calls[instruction.call];
    for (const Operand& argument : call.arguments) collect(function, argument, accesses.reads);
    for (const Operand& result : call.results) collect(function, result, accesses.writes);
    collect(function, call.callee, accesses.reads);
  }
  if (instruction.guarded()) {
    accesses.reads.push_back(instruction.guard);
    accesses.reads.insert(accesses.reads.end(), accesses.writes.begin(), accesses.writes.end());
  }
  return accesses;
}

Graph graph_of(const Function& function, const std::vector<bool>& meets) {
  Graph graph;
  graph.function = &function;
  split_blocks(function, meets, graph);
  if (function.entry) add_yields(graph);
  graph.meetings = BitSet(graph.blocks.size());
  for (const FlowBlock& block : graph.blocks)
    if (block.ends == FlowBlock::End::meet) graph.meetings.insert(block.next);
  find_live(function, graph);
  return graph;
}

}  // namespace xcuda::device::cpu
