#include "device/cpu/plan/warp_sync.hpp"

#include <algorithm>

#include "device/cpu/plan/plan.hpp"

namespace xcuda::device::cpu {

using ptx::Instruction;
using ptx::Trait;

namespace {

bool is_joint(const Instruction& instruction) {
  if (instruction.guarded() || !instruction.is(Trait::joint)) return false;
  return instruction.has(instruction.is(Trait::barrier) ? ptx::Modifier::warp : ptx::Modifier::sync);
}

// By function: whether it holds such an instruction, or calls one that does.
std::vector<bool> joint_functions(const ptx::Module& module) {
  const std::size_t count = module.functions.size();
  std::vector<bool> joint(count);
  for (std::size_t f = 0; f < count; ++f) {
    const auto& instructions = module.functions[f].instructions;
    joint[f] = std::any_of(instructions.begin(), instructions.end(), is_joint);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t f = 0; f < count; ++f)
      for (const ptx::Call& call : module.functions[f].calls)
        if (!joint[f] && call.callee.kind == ptx::Operand::Kind::symbol && joint[call.callee.index])
          joint[f] = changed = true;
  }
  return joint;
}

// By block: whether lanes that go there may come to a joint instruction, or to a barrier.
BitSet blocks_before_meetings(const Graph& graph, const std::vector<bool>& joint) {
  BitSet before(graph.blocks.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = graph.blocks.size(); b-- > 0;) {
      if (before.contains(b)) continue;
      const FlowBlock& block = graph.blocks[b];
      bool comes = block.ends == FlowBlock::End::barrier ||
                   std::find(joint.begin() + block.begin, joint.begin() + block.end, true) != joint.begin() + block.end;
      for (const BlockIndex next : {block.next, block.taken}) comes |= next != kNoBlock && before.contains(next);
      if (comes) before.insert(b), changed = true;
    }
  }
  return before;
}

// Lanes meet before they write the arguments of a call: those are in memory that is lost where lanes wait so long that
// the block gives way to others.
ptx::Index begin_of_arguments(const ptx::Function& function, const FlowBlock& block, const std::vector<bool>& joint,
                              ptx::Index call) {
  ptx::Index begin = call;
  for (ptx::Index i = call; i-- > block.begin && !joint[i];)
    if (function.instructions[i].is(Trait::writes) && function.instructions[i].space == ptx::Space::param) begin = i;
  return begin;
}

}  // namespace

std::vector<bool> joint_instructions(const ptx::Module& module, const ptx::Function& function) {
  std::vector<bool> joint(function.instructions.size());
  std::vector<bool> functions;
  for (std::size_t i = 0; i < joint.size(); ++i) {
    const Instruction& instruction = function.instructions[i];
    joint[i] = is_joint(instruction);
    if (!instruction.is(Trait::calls) || instruction.guarded()) continue;
    if (functions.empty()) functions = joint_functions(module);
    const ptx::Operand& callee = function.calls[instruction.call].callee;
    if (callee.kind == ptx::Operand::Kind::symbol)
      joint[i] = functions[callee.index];
    else  // any function that is not a kernel
      for (std::size_t f = 0; f < functions.size(); ++f)
        joint[i] = joint[i] || (functions[f] && !module.functions[f].entry);
  }
  return joint;
}

const ptx::Operand* named_lanes(const ptx::Function& function, const Instruction& instruction) {
  return instruction.is(Trait::names_lanes) ? &function.operands_of(instruction).back() : nullptr;
}

bool add_meetings(const ptx::Function& function, const Plan& plan, const std::vector<bool>& joint,
                  std::vector<bool>& meets) {
  const Graph& graph = plan.graph;
  bool added = false;
  if (joint == meets) return false;
  const BitSet before = blocks_before_meetings(graph, joint);
  for (BlockIndex b = 0; b < graph.blocks.size(); ++b) {
    if (!plan.reached[b] || (common(plan.pending[b], before).empty() && common(plan.waiting[b], before).empty()))
      continue;
    for (ptx::Index i = graph.blocks[b].begin; i < graph.blocks[b].end; ++i) {
      if (meets[i] || !joint[i]) continue;
      ptx::Index begin = i;
      if (function.instructions[i].is(Trait::calls)) begin = begin_of_arguments(function, graph.blocks[b], joint, i);
      meets[meets[begin] ? i : begin] = added = true;
    }
  }
  return added;
}

}  // namespace xcuda::device::cpu
