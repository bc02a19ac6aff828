#include "device/cpu/plan/frontiers.hpp"

#include <utility>

#include "device/cpu/plan/plan.hpp"

namespace xcuda::device::cpu {

using ptx::Instruction;
using ptx::Register;

namespace {

class Planner {
 public:
  explicit Planner(Plan& plan) : plan_(plan), graph_(plan.graph), function_(*plan.graph.function) {
    for (const Instruction& instruction : function_.instructions)
      accesses_.push_back(accesses_of(function_, instruction));
  }

  void run() {
    plan_.reached[0] = true;
    start_unwritten();
    settle();
    // A register computed only from itself, as in a loop that counts up an unset register, has no form yet.
    if (start_formless()) settle();
  }

 private:
  // A register that no instruction writes is undefined and legal: it holds zero (Emitter::start_lanes).
  void start_unwritten() {
    BitSet written(plan_.forms.size());
    for (const Accesses& access : accesses_)
      for (Register r : access.writes) written.insert(r);
    for (Register r = 0; r < plan_.forms.size(); ++r)
      if (!written.contains(r)) plan_.forms[r] = RegisterForm::uniform();
  }

  bool start_formless() {
    bool any = false;
    for (RegisterForm& form : plan_.forms)
      if (form.kind == RegisterForm::Kind::none) {
        form = RegisterForm::uniform();
        any = true;
      }
    return any;
  }

  void settle() {
    do {
      changed_ = false;
      spread_crowd();
      for (BlockIndex b = 0; b < graph_.blocks.size(); ++b)
        if (plan_.reached[b]) {
          const LaneLoop* loop = plan_.lane_loop_at(b);
          if (loop) run_by_lane(*loop);
          if (loop && loop->always()) continue;
          write_registers(b);
          leave(b);
        }
    } while (changed_);
  }

  void write_registers(BlockIndex b) {
    const FormRules rules = plan_.rules();
    for (ptx::Index i = graph_.blocks[b].begin; i < graph_.blocks[b].end; ++i) {
      const auto& writes = accesses_[i].writes;
      if (writes.empty()) continue;
      const Instruction& instruction = function_.instructions[i];
      RegisterForm form = rules.result(instruction).form;
      if (instruction.guarded() && !plan_.forms[instruction.guard].is_uniform()) form = RegisterForm::varying();
      for (Register r : writes) {
        const RegisterForm joined = join(plan_.forms[r], plan_.keeps(b, r) ? RegisterForm::varying() : form);
        if (joined == plan_.forms[r]) continue;
        plan_.forms[r] = joined;
        changed_ = true;
      }
    }
  }

  // All lanes at the loop's head go on to its exits, whatever else is pending.
  void run_by_lane(const LaneLoop& loop) {
    BitSet vectors = loop.results, candidates = plan_.pending[loop.head];
    loop.written.each([&](Register r) {
      if (plan_.keeps(loop.head, r)) vectors.insert(r);
    });
    vectors.each([&](Register r) {
      if (plan_.forms[r].is_varying()) return;
      plan_.forms[r] = RegisterForm::varying();
      changed_ = true;
    });
    for (const BlockIndex exit : loop.exits)
      if (exit != kNoBlock) candidates.insert(exit);
    if (loop.exits.back() == kNoBlock) {
      candidates.insert(plan_.meetings(plan_.waiting[loop.head]));
      wait(candidates, plan_.waiting[loop.head]);
    } else {
      enter(candidates, plan_.waiting[loop.head]);
    }
  }

  void leave(BlockIndex b) {
    const FlowBlock& block = graph_.blocks[b];
    const BitSet& pending = plan_.pending[b];
    BitSet waiting = plan_.waiting[b];
    const BitSet met = plan_.meetings(waiting);
    auto with_met = [&](BitSet candidates) {
      candidates.insert(met);
      return candidates;
    };
    auto go = [&](std::initializer_list<BlockIndex> to) {
      BitSet candidates = pending;
      for (BlockIndex next : to)
        if (next != kNoBlock)
          candidates.insert(next);
        else
          candidates.insert(met);  // lanes that leave are waited for no more
      enter(candidates, waiting);
    };
    switch (block.ends) {
      case FlowBlock::End::next: go({block.next}); break;
      case FlowBlock::End::branch:
        if (plan_.diverges(block)) {
          go({block.taken, block.next});
        } else {
          go({block.taken});
          go({block.next});
        }
        break;
      case FlowBlock::End::yield:
        go({block.taken});
        if (block.next == kNoBlock) break;
        waiting.insert(block.next);
        wait(pending, waiting);
        break;
      case FlowBlock::End::meet: {
        BitSet candidates = with_met(pending);
        candidates.insert(block.next);
        waiting.insert(block.next);
        wait(candidates, waiting);
        break;
      }
      case FlowBlock::End::barrier: {
        const bool alone = pending.empty() && plan_.others(waiting).empty();
        if (block.next == kNoBlock) {
          wait(with_met(pending), waiting);
          break;
        }
        if (alone) {
          BitSet behind(graph_.blocks.size());
          behind.insert(block.next);
          enter(behind, BitSet(graph_.blocks.size()));
          break;
        }
        waiting.insert(block.next);
        wait(pending, waiting);
        break;
      }
      case FlowBlock::End::leave: wait(with_met(pending), waiting); break;
    }
  }

  void wait(const BitSet& pending, BitSet waiting) {
    enter(pending, waiting);
    if (const BitSet calls = common(waiting, plan_.calls); !calls.empty()) {
      BitSet others = waiting;
      others.erase(calls);
      enter(calls, others);
    }
    if (!graph_.yields) waiting = plan_.others(waiting);
    const bool more = plan_.together.insert(waiting);
    changed_ |= more;
    if (!more && waited_) return;  // what follows depends on the others alone
    waited_ = true;
    enter(plan_.released(plan_.together), BitSet(graph_.blocks.size()));  // all lanes wait, and the barrier is complete
    if (!graph_.yields) return;
    BitSet gave_way(graph_.blocks.size()), rest = plan_.together;  // or before it is
    plan_.together.each([&](BlockIndex b) {
      if (graph_.blocks[b].after_yield) gave_way.insert(b);
    });
    rest.erase(gave_way);
    enter(gave_way, rest);
  }

  // The first of the candidates that holds lanes runs next; those after it are then pending.
  void enter(const BitSet& candidates, const BitSet& waiting) {
    if (candidates.count() + waiting.count() > Crowd::kFewest) return enter_crowd(candidates, waiting);
    BitSet behind = candidates;
    candidates.each([&](BlockIndex c) {
      behind.erase(c);
      if (!plan_.reached[c]) plan_.reached[c] = changed_ = true;
      grow(plan_.pending[c], behind, plan_.kept[c]);
      grow(plan_.waiting[c], waiting, plan_.kept[c]);
    });
  }

  void enter_crowd(const BitSet& candidates, const BitSet& waiting) {
    Crowd& crowd = plan_.crowd;
    crowd.blocks.each_added(candidates, [&](BlockIndex c) { plan_.reached[c] = crowd_grew_ = true; });
    crowd_grew_ |= crowd.waiting.insert(waiting);
    changed_ |= crowd_grew_;
  }

  // What it means for the sets of its blocks.
  void spread_crowd() {
    if (!std::exchange(crowd_grew_, false)) return;
    const Crowd& crowd = plan_.crowd;
    BitSet later(graph_.blocks.size()), kept(function_.registers.size());
    crowd.waiting.each([&](BlockIndex b) { kept.insert(graph_.live[b]); });
    for (auto b = static_cast<BlockIndex>(graph_.blocks.size()); b-- > 0;) {
      if (!crowd.blocks.contains(b)) continue;
      changed_ |= plan_.pending[b].insert(later);
      changed_ |= plan_.waiting[b].insert(crowd.waiting);
      changed_ |= plan_.kept[b].insert(kept);
      later.insert(b);
      kept.insert(graph_.live[b]);
    }
  }

  // What lanes at a block need is kept; each block is added once, however often sets are compared.
  void grow(BitSet& set, const BitSet& by, BitSet& kept) {
    set.each_added(by, [&](BlockIndex other) {
      kept.insert(graph_.live[other]);
      changed_ = true;
    });
  }

  Plan& plan_;
  const Graph& graph_;
  const ptx::Function& function_;
  std::vector<Accesses> accesses_;
  bool changed_ = false, waited_ = false;
  bool crowd_grew_ = false;  // since it was spread
};

}  // namespace

void find_frontiers(Plan& plan) {
  const ptx::Function& function = *plan.graph.function;
  const std::size_t registers = function.registers.size(), blocks = plan.graph.blocks.size();
  plan.forms.assign(registers, RegisterForm{});
  plan.pending.assign(blocks, BitSet(blocks));
  plan.waiting.assign(blocks, BitSet(blocks));
  plan.kept.assign(blocks, BitSet(registers));
  plan.reached.assign(blocks, false);
  plan.together = BitSet(blocks);
  plan.calls = BitSet(blocks);
  plan.crowd = {BitSet(blocks), BitSet(blocks)};
  plan.graph.meetings.each([&](BlockIndex b) {
    if (function.instructions[plan.graph.blocks[b].begin].is(ptx::Trait::calls)) plan.calls.insert(b);
  });
  Planner(plan).run();
}

}  // namespace xcuda::device::cpu
