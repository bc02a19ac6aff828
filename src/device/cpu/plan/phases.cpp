#include "device/cpu/plan/phases.hpp"

#include <algorithm>

#include "device/cpu/plan/check_groups.hpp"

namespace xcuda::device::cpu {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Space;
using ptx::Trait;

namespace {

// Kinds of accesses of shared memory, as bits.
using Kinds = std::uint8_t;
constexpr Kinds kReads = 1, kWrites = 2, kAtomics = 4, kAny = kReads | kWrites;

bool is_shared(Space space) { return space == Space::shared || space == Space::shared_cluster; }

class PhaseFinder {
 public:
  PhaseFinder(const ptx::Module& module, const Graph& graph, const std::vector<Origin>& origins)
      : module_(module), graph_(graph), function_(*graph.function), origins_(origins), phase_(graph.blocks.size()) {}

  Phases find() {
    const std::size_t count = function_.instructions.size();
    Phases phases{BitSet(count), BitSet(count), exchanges()};
    if (!is_known()) return phases;
    for (const FlowBlock& block : graph_.blocks) {
      Kinds all = 0;
      for (ptx::Index i = block.begin; i < block.end; ++i) all |= kinds_of(function_.instructions[i]);
      kinds_.push_back(all);
    }
    if (std::all_of(kinds_.begin(), kinds_.end(), [](Kinds each) { return each == 0; })) return phases;
    follow(0);
    for (const BlockIndex begin : graph_.resumes) follow(begin);
    for (BlockIndex b = 0; b < graph_.blocks.size(); ++b)
      for (ptx::Index i = graph_.blocks[b].begin; i < graph_.blocks[b].end; ++i) {
        const Instruction& instruction = function_.instructions[i];
        if (!is_shared(instruction.space) || !instruction.is(Trait::accesses)) continue;
        const Kinds own = kinds_of(instruction), others = phase_[b] & ~own;
        // Where there are fences, an atomic also passes on what its thread knows.
        if (others == 0 && (own == kReads || (own == kAtomics && !phases.exchanges))) phases.alone.insert(i);
        if (others == 0 && own == kWrites) phases.unread.insert(i);
      }
    return phases;
  }

 private:
  // Not where barriers may be in what is called, nor where a copy goes on after a barrier.
  bool is_known() const {
    return function_.entry &&
           std::none_of(function_.instructions.begin(), function_.instructions.end(), [&](const Instruction& each) {
             if (each.is(Trait::copies)) return true;
             if (!each.is(Trait::calls)) return false;
             const ptx::Operand& callee = function_.calls[each.call].callee;
             return callee.kind != ptx::Operand::Kind::symbol || module_.functions[callee.index].defined;
           });
  }

  // Or calls something that may.
  bool exchanges() const {
    return graph_.yields ||
           std::any_of(function_.instructions.begin(), function_.instructions.end(), [&](const Instruction& each) {
             if (!each.is(Trait::calls)) return each.releases();
             const ptx::Operand& callee = function_.calls[each.call].callee;
             return callee.kind != ptx::Operand::Kind::symbol || kinds_of(each) != 0;
           });
  }

  Kinds kinds_of(const Instruction& instruction) const {
    if (instruction.is(Trait::calls)) {
      const std::string& callee = module_.functions[function_.calls[instruction.call].callee.index].name;
      return callee == "vprintf" || callee == "__assertfail" ? 0 : kAny;
    }
    if (instruction.is(Trait::arrivals)) return instruction.has(Modifier::init) ? kWrites : kAtomics;
    const bool matrix =
        instruction.family() == ptx::Family::matrix && instruction.has_any({Modifier::load, Modifier::store});
    if (!matrix && instruction.opcode != ptx::Opcode::ldmatrix && !instruction.is(Trait::accesses)) return 0;
    if (!may_be_shared(instruction)) return 0;
    if (instruction.is(Trait::atomic) || instruction.synchronises()) return kAtomics;
    return instruction.is(Trait::writes) || instruction.has(Modifier::store) ? kWrites : kReads;
  }

  bool may_be_shared(const Instruction& instruction) const {
    if (instruction.space != Space::generic) return is_shared(instruction.space);
    const ptx::Operand* address = accessed(function_, instruction);
    const Origin origin = address ? origin_of(*address, origins_) : Origin{Origin::Kind::unknown, 0};
    if (origin.kind == Origin::Kind::variable) return is_shared(module_.variables[origin.index].space);
    return !origin.is_array();
  }

  // All that a thread may come to from the beginning of a block on, before it waits at a barrier, is one phase.
  void follow(BlockIndex begin) {
    BitSet seen(graph_.blocks.size());
    std::vector<BlockIndex> blocks{begin};
    seen.insert(begin);
    Kinds all = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const FlowBlock& block = graph_.blocks[blocks[i]];
      all |= kinds_[blocks[i]];
      if (block.ends == FlowBlock::End::barrier) continue;
      for (const BlockIndex next : {block.next, block.taken})
        if (next != kNoBlock && !seen.contains(next)) seen.insert(next), blocks.push_back(next);
    }
    for (const BlockIndex block : blocks) phase_[block] |= all;
  }

  const ptx::Module& module_;
  const Graph& graph_;
  const ptx::Function& function_;
  const std::vector<Origin>& origins_;
  std::vector<Kinds> kinds_;  // by block: of its own instructions
  std::vector<Kinds> phase_;  // by block: of all phases that it may be part of
};

}  // namespace

Phases find_phases(const ptx::Module& module, const Graph& graph, const std::vector<Origin>& origins) {
  return PhaseFinder(module, graph, origins).find();
}

}  // namespace xcuda::device::cpu
