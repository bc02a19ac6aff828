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

const Operand* number_moved(const Function& function, const Instruction& instruction) {
  if (instruction.opcode != ptx::Opcode::mov || instruction.guarded() || instruction.operand_count != 2) return nullptr;
  const Operand& from = function.operands_of(instruction)[1];
  const bool number =
      from.kind == Operand::Kind::integer || from.kind == Operand::Kind::float32 || from.kind == Operand::Kind::float64;
  return number ? &from : nullptr;
}

std::vector<const Operand*> find_numbers(const Function& function) {
  std::vector<const Operand*> numbers(function.registers.size());
  std::vector<bool> written(numbers.size());
  for (const ptx::Parameter& parameter : function.parameters)
    if (parameter.in_register) written[parameter.reg] = true;
  for (const Instruction& instruction : function.instructions) {
    const Operand* number = number_moved(function, instruction);
    for (const Register reg : accesses_of(function, instruction).writes) {
      numbers[reg] = written[reg] ? nullptr : number;
      written[reg] = true;
    }
  }
  return numbers;
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

BlockAccesses accesses_of(const Graph& graph) {
  const std::size_t registers = graph.function->registers.size(), blocks = graph.blocks.size();
  BlockAccesses all{std::vector<BitSet>(blocks, BitSet(registers)), std::vector<BitSet>(blocks, BitSet(registers))};
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto reads = [&](const Accesses& accesses) {
      for (Register r : accesses.reads)
        if (!all.writes[b].contains(r)) all.reads[b].insert(r);
    };
    const FlowBlock& block = graph.blocks[b];
    for (ptx::Index i = block.begin; i < block.end; ++i) {
      const Accesses accesses = accesses_of(*graph.function, graph.function->instructions[i]);
      reads(accesses);
      for (Register r : accesses.writes) all.writes[b].insert(r);
    }
    // Threads are counted where they arrive.
    if (block.arrives != ptx::kNoIndex)
      reads(accesses_of(*graph.function, graph.function->instructions[block.arrives]));
  }
  return all;
}

std::vector<BitSet> live_registers(const Graph& graph, const BlockAccesses& accesses, Ways ways) {
  std::vector<BitSet> live = accesses.reads;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = graph.blocks.size(); b-- > 0;) {
      const FlowBlock& block = graph.blocks[b];
      if (ways == Ways::to_barriers && block.ends == FlowBlock::End::barrier) continue;
      BitSet out(graph.function->registers.size());
      for (BlockIndex next : {block.next, block.taken})
        if (next != kNoBlock) out.insert(live[next]);
      out.erase(accesses.writes[b]);
      changed |= live[b].insert(out);
    }
  }
  return live;
}

// Tarjan's strongly connected components, with a stack of its own instead of recursion.
std::vector<BlockIndex> cycles_of(const Graph& graph) {
  const auto count = static_cast<BlockIndex>(graph.blocks.size());
  std::vector<BlockIndex> cycles(count, kNoBlock), order(count, kNoBlock), lowest(count), open, walk;
  std::vector<std::uint8_t> edge(count);  // by block on the walk: which of its edges is next
  std::vector<bool> is_open(count);
  BlockIndex reached = 0;
  const auto enter = [&](BlockIndex b) {
    order[b] = lowest[b] = reached++;
    is_open[b] = true;
    open.push_back(b);
    walk.push_back(b);
  };
  for (BlockIndex first = 0; first < count; ++first) {
    if (order[first] == kNoBlock) enter(first);
    while (!walk.empty()) {
      const BlockIndex b = walk.back();
      const FlowBlock& block = graph.blocks[b];
      if (edge[b] < 2) {
        const BlockIndex next = edge[b]++ == 0 ? block.next : block.taken;
        if (next == kNoBlock) continue;
        if (order[next] == kNoBlock)
          enter(next);
        else if (is_open[next])
          lowest[b] = std::min(lowest[b], order[next]);
        continue;
      }
      walk.pop_back();
      if (!walk.empty()) lowest[walk.back()] = std::min(lowest[walk.back()], lowest[b]);
      if (lowest[b] != order[b]) continue;
      const bool alone = open.back() == b && block.next != b && block.taken != b;
      BlockIndex member = kNoBlock;
      do {
        member = open.back();
        open.pop_back();
        is_open[member] = false;
        if (!alone) cycles[member] = b;
      } while (member != b);
    }
  }
  return cycles;
}

Graph graph_of(const Function& function, const std::vector<bool>& meets) {
  Graph graph;
  graph.function = &function;
  split_blocks(function, meets, graph);
  if (function.entry) add_yields(graph);
  graph.meetings = BitSet(graph.blocks.size());
  for (const FlowBlock& block : graph.blocks)
    if (block.ends == FlowBlock::End::meet) graph.meetings.insert(block.next);
  graph.live = live_registers(graph, accesses_of(graph), Ways::all);
  graph.numbers = find_numbers(function);
  BitSet numbers(function.registers.size());
  for (Register reg = 0; reg < graph.numbers.size(); ++reg) {
    if (!graph.live.empty() && graph.live[0].contains(reg)) graph.numbers[reg] = nullptr;  // 0 before it is written
    if (graph.numbers[reg]) numbers.insert(reg);
  }
  for (BitSet& live : graph.live) live.erase(numbers);
  return graph;
}

}  // namespace xcuda::device::cpu
