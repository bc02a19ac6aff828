#include "device/cpu/plan/lane_loops.hpp"

#include <algorithm>

#include "device/cpu/plan/plan.hpp"

namespace xcuda::device::cpu {

using ptx::Instruction;
using ptx::Operand;
using ptx::Space;
using ptx::Trait;

namespace {

constexpr std::size_t kLongest = 400, kLongestRest = 96;  // instructions: what the code takes to compile has to pay
constexpr int kFewest = 4;                                // lanes; with less to gain the code is not worth it
constexpr double kBusy = 0.6;                             // of the lanes, in a loop that they leave at different turns
constexpr double kInnerTurns = 8;

// --- Which instructions may be run by one lane alone
// ------------------------------------------------------------------

// Whether a special register is the same for all lanes of a block.
bool is_of_block(ptx::Special special) {
  using ptx::Special;
  switch (special) {
    case Special::ntid_x:
    case Special::ntid_y:
    case Special::ntid_z:
    case Special::ctaid_x:
    case Special::ctaid_y:
    case Special::ctaid_z:
    case Special::nctaid_x:
    case Special::nctaid_y:
    case Special::nctaid_z: return true;
    default: return false;
  }
}

bool is_plain(const ptx::Function& function, const Operand& operand) {
  if (operand.kind == Operand::Kind::special) return is_of_block(operand.special);
  if (operand.kind == Operand::Kind::vector) {
    for (const Operand& element : function.elements_of(operand))
      if (!is_plain(function, element)) return false;
    return true;
  }
  switch (operand.symbol_kind) {
    case ptx::SymbolKind::none:
    case ptx::SymbolKind::variable: return true;
    case ptx::SymbolKind::local: return function.variables[operand.index].space != Space::local;
    case ptx::SymbolKind::parameter: return function.entry;
    default: return operand.kind == Operand::Kind::label;
  }
}

bool is_plain(const ptx::Function& function, const Instruction& instruction) {
  if (!instruction.is(Trait::scalar) || instruction.space == Space::local) return false;
  if (instruction.guarded() && instruction.family() != ptx::Family::control) return false;
  if (instruction.has(ptx::Modifier::cc) || instruction.synchronises()) return false;
  const auto operands = function.operands_of(instruction);
  return std::all_of(operands.begin(), operands.end(),
                     [&](const Operand& operand) { return is_plain(function, operand); });
}

// --- What they cost, in cycles: of 32 lanes as vector code, and of one lane
// -------------------------------------------

struct Cost {
  double vector = 0, lane = 0;
};

class Costs {
 public:
  Costs(Plan& plan, const TargetFeatures& features)
      : plan_(plan), function_(*plan.graph.function), features_(features) {}

  Cost of(const Instruction& instruction) const {
    const double words = std::max(ptx::bits_of(instruction.type()), 32) / 32.0;
    const bool floating = ptx::is_floating(instruction.type());
    if (instruction.is(Trait::accesses)) return of_access(instruction);
    if (instruction.is(Trait::roots)) return {20 * words, 5};
    if (instruction.is(Trait::curves)) return {40, 15};
    if (instruction.is(Trait::divides)) {
      if (!is_varying(instruction)) return {8, 8};
      if (floating) return {words == 1 ? 20.0 : 60.0, 5};
      return words == 1 ? Cost{90, 10} : Cost{400, 12};
    }
    return {is_varying(instruction) ? 2 * words : 0.3, instruction.is(Trait::adds) && floating ? 1.0 : 0.3};
  }

 private:
  bool is_varying(const Instruction& instruction) const { return plan_.rules().result(instruction).form.is_varying(); }

  Cost of_access(const Instruction& instruction) const {
    const bool stores = instruction.is(Trait::writes);
    const RegisterForm form = plan_.form_of(function_.operands_of(instruction)[stores ? 0 : 1]);
    const double parts = instruction.vector;
    if (!form.is_varying()) return {4 * parts, 0.7};
    if (!features_.avx512) return {(stores ? 96 : 64) * parts, 0.7 * parts};
    return {(stores ? 64 : features_.fast_gather ? 22 : 64) * parts, 0.7 * parts};
  }

  Plan& plan_;
  const ptx::Function& function_;
  const TargetFeatures& features_;
};

// --- Loops
// ------------------------------------------------------------------------------------------------------------

class Finder {
 public:
  Finder(Plan& plan, const TargetFeatures& features)
      : plan_(plan),
        graph_(plan.graph),
        function_(*plan.graph.function),
        costs_(plan, features),
        before_(graph_.blocks.size()) {
    for (BlockIndex b = 0; b < graph_.blocks.size(); ++b) {
      if (!plan.reached[b]) continue;
      for (const BlockIndex next : successors(b))
        if (next != kNoBlock) before_[next].push_back(b);
    }
  }

  std::vector<LaneLoop> run() {
    for (BlockIndex b = 0; b < graph_.blocks.size(); ++b)
      if (plan_.reached[b])
        for (const BlockIndex next : successors(b))
          if (next != kNoBlock && next <= b) add(next, b);
    std::erase_if(loops_, [&](LaneLoop& loop) { return !complete(loop); });
    // Outer loops first.
    std::sort(loops_.begin(), loops_.end(), [](const LaneLoop& a, const LaneLoop& b) {
      return a.blocks.members().size() > b.blocks.members().size();
    });
    std::vector<LaneLoop> chosen;
    for (LaneLoop& loop : loops_) {
      const bool inside = std::any_of(chosen.begin(), chosen.end(), [&](const LaneLoop& outer) {
        return outer.always() && outer.blocks.contains(loop.head);
      });
      if (!inside && choose(loop)) chosen.push_back(loop);
    }
    return chosen;
  }

 private:
  std::vector<BlockIndex> successors(BlockIndex b) const {
    const FlowBlock& block = graph_.blocks[b];
    switch (block.ends) {
      case FlowBlock::End::branch: return {block.taken, block.next};
      case FlowBlock::End::leave: return {kNoBlock};
      case FlowBlock::End::yield: return {block.taken, block.next};
      default: return {block.next};
    }
  }

  // The blocks from which `from` is reached without passing the head.
  void add(BlockIndex head, BlockIndex from) {
    auto known = std::find_if(loops_.begin(), loops_.end(), [&](const LaneLoop& loop) { return loop.head == head; });
    if (known == loops_.end()) {
      known = loops_.insert(loops_.end(), LaneLoop{.head = head, .blocks = BitSet(graph_.blocks.size())});
      known->blocks.insert(head);
    }
    std::vector<BlockIndex> open{from};
    while (!open.empty()) {
      const BlockIndex b = open.back();
      open.pop_back();
      if (known->blocks.contains(b)) continue;
      known->blocks.insert(b);
      open.insert(open.end(), before_[b].begin(), before_[b].end());
    }
  }

  // Whether the loop may be run lane by lane; fills in what it reads and writes.
  bool complete(LaneLoop& loop) const {
    const std::size_t registers = function_.registers.size();
    loop.reads = loop.written = loop.results = BitSet(registers);
    BitSet used(registers), behind(registers);
    std::size_t count = 0;
    bool allowed = true;
    loop.blocks.each([&](BlockIndex b) {
      const FlowBlock& block = graph_.blocks[b];
      allowed &= block.ends != FlowBlock::End::barrier && block.ends != FlowBlock::End::yield &&
                 block.ends != FlowBlock::End::meet && !block.after_yield && block.arrives == ptx::kNoIndex;
      if (b != loop.head)  // irreducible
        for (const BlockIndex from : before_[b]) allowed &= loop.blocks.contains(from);
      for (const BlockIndex next : successors(b)) {
        if (next != kNoBlock && loop.blocks.contains(next)) continue;
        if (std::find(loop.exits.begin(), loop.exits.end(), next) == loop.exits.end()) loop.exits.push_back(next);
        if (next != kNoBlock) behind.insert(graph_.live[next]);
      }
      for (ptx::Index i = block.begin; i < block.end; ++i, ++count) {
        allowed &= is_plain(function_, function_.instructions[i]);
        const Accesses accesses = accesses_of(function_, function_.instructions[i]);
        for (const ptx::Register r : accesses.reads) used.insert(r);
        for (const ptx::Register r : accesses.writes) used.insert(r), loop.written.insert(r);
      }
      if (block.predicate != ptx::kNoIndex) used.insert(block.predicate);
    });
    if (!allowed || count > kLongest || loop.exits.empty()) return false;
    std::sort(loop.exits.begin(), loop.exits.end());
    used.each([&](ptx::Register r) {
      if (graph_.live[loop.head].contains(r)) loop.reads.insert(r);
      if (loop.written.contains(r) && behind.contains(r)) loop.results.insert(r);
    });
    return true;
  }

  bool choose(LaneLoop& loop) const {
    if (!leaves_in_disorder(loop)) return false;
    Cost sum;
    std::size_t count = 0;
    bool innermost = true;
    loop.blocks.each([&](BlockIndex b) {
      double turns = 1;
      for (const LaneLoop& inner : loops_)
        if (inner.head != loop.head && inner.blocks.contains(b) && loop.blocks.contains(inner.head) &&
            !inner.blocks.contains(loop.head))
          turns *= kInnerTurns, innermost = false;
      for (ptx::Index i = graph_.blocks[b].begin; i < graph_.blocks[b].end; ++i, ++count) {
        const Cost cost = costs_.of(function_.instructions[i]);
        sum.vector += turns * cost.vector;
        sum.lane += turns * cost.lane;
      }
    });
    if (sum.vector / kBusy > LaneLoop::kAll * sum.lane) {
      loop.most = LaneLoop::kAll;
      return true;
    }
    loop.most = std::min(static_cast<int>(sum.vector / sum.lane), LaneLoop::kAll - 1);
    return innermost && count <= kLongestRest && loop.most >= kFewest;
  }

  // Lanes leave at turns that are far apart. Not where they leave by a comparison of numbers that only grow from lane
  // to lane, such as the index of a thread.
  bool leaves_in_disorder(const LaneLoop& loop) const {
    bool found = false;
    loop.blocks.each([&](BlockIndex b) {
      const FlowBlock& block = graph_.blocks[b];
      if (!plan_.diverges(block)) return;
      const bool leaves = std::any_of(loop.exits.begin(), loop.exits.end(),
                                      [&](BlockIndex exit) { return exit == block.taken || exit == block.next; });
      if (leaves) found |= !is_orderly(block.predicate, loop);
    });
    return found;
  }

  bool is_orderly(ptx::Register predicate, const LaneLoop& loop) const {
    bool orderly = true;
    loop.blocks.each([&](BlockIndex b) {
      for (ptx::Index i = graph_.blocks[b].begin; i < graph_.blocks[b].end; ++i) {
        const Accesses accesses = accesses_of(function_, function_.instructions[i]);
        if (std::find(accesses.writes.begin(), accesses.writes.end(), predicate) == accesses.writes.end()) continue;
        for (const ptx::Register r : accesses.reads) orderly &= !plan_.forms[r].is_varying();
      }
    });
    return orderly;
  }

  Plan& plan_;
  const Graph& graph_;
  const ptx::Function& function_;
  Costs costs_;
  std::vector<std::vector<BlockIndex>> before_;
  std::vector<LaneLoop> loops_;
};

}  // namespace

std::vector<LaneLoop> choose_lane_loops(Plan& plan, const TargetFeatures& features) {
  return Finder(plan, features).run();
}

}  // namespace xcuda::device::cpu
