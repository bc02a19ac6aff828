// Dispatch::shared: where the lanes of a warp that diverged go. One place of the function decides which of them run
// next, from the LaneQueue: those that are ready for the block that is first in the text. Each block jumps to that
// place, and straight to a successor only where no lane can be before it; so code and edges grow with the number of
// blocks.
#include <algorithm>

#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"
#include "device/cpu/plan/warp_sync.hpp"

namespace xcuda::device::cpu {

using llvm::BasicBlock;
using Set = LaneQueue::Set;

void WarpFlow::make_dispatch() {
  dispatch_ = e_.new_block("dispatch");
  settle_ = e_.graph.meetings.empty() ? dispatch_ : e_.new_block("settle");
  dispatched_ = BitSet(e_.graph.blocks.size());
}

// Sends the running lanes to a block, or first to whichever lanes come first in the text.
void WarpFlow::go_shared(BlockIndex from, BlockIndex to) {
  if (to == kNoBlock) {
    e_.b.CreateBr(settle_);
    return;
  }
  if (first_after(from, to)) {
    e_.b.CreateBr(copies_[to].divergent);
    return;
  }
  add_ready(to, e_.exec);
  e_.b.CreateBr(dispatch_);
}

// Whether no other lanes can be ready for the block or one before it.
bool WarpFlow::first_after(BlockIndex from, BlockIndex to) const { return e_.plan.pending[from].first() > to; }

void WarpFlow::add_ready(BlockIndex to, Value* mask) {
  e_.queue.add(Set::ready, mask, to);
  dispatched_.insert(to);
}

void WarpFlow::enter_shared(BlockIndex to, Value* mask) {
  e_.queue.assign(Set::running, mask);
  e_.b.CreateBr(copies_[to].divergent);
}

// Lanes of `mask` go to the one, of `other` to the other; none of both is elsewhere.
void WarpFlow::part_shared(BlockIndex from, const FlowBlock& block, Value* taken, Value* next) {
  const bool swapped = block.taken > block.next;  // kNoBlock is the greatest
  const BlockIndex first = swapped ? block.next : block.taken, second = swapped ? block.taken : block.next;
  Value *to_first = swapped ? next : taken, *to_second = swapped ? taken : next;
  BasicBlock* after = dispatch_;
  if (second == kNoBlock)
    after = settle_;
  else
    add_ready(second, to_second);
  // Lanes that leave may have been waited for.
  if (!first_after(from, first) || (second == kNoBlock && after != dispatch_)) {
    add_ready(first, to_first);
    e_.b.CreateBr(after);
    return;
  }
  BasicBlock* some = e_.new_block("way");
  e_.b.CreateCondBr(e_.b.CreateICmpNE(to_first, e_.b.getInt32(0)), some, after);
  e_.b.SetInsertPoint(some);
  enter_shared(first, to_first);
}

void WarpFlow::end_shared(BlockIndex index, const FlowBlock& block) {
  switch (block.ends) {
    case FlowBlock::End::next: go_shared(index, block.next); break;
    case FlowBlock::End::leave: e_.b.CreateBr(settle_); break;
    case FlowBlock::End::meet: {
      const ptx::Instruction& instruction = e_.function.instructions[e_.graph.blocks[block.next].begin];
      const ptx::Operand* named = named_lanes(e_.function, instruction);
      e_.queue.name(e_.exec, named ? e_.registers.read_vector(*named, ptx::Type::b32)
                                   : e_.values.splat(e_.b.getInt32(kAllLanes)));
      e_.queue.add(Set::met, e_.exec, block.next);
      dispatched_.insert(block.next);
      if (e_.plan.calls.contains(block.next))
        e_.queue.assign(Set::asked, e_.b.CreateOr(e_.queue.lanes(Set::asked), e_.exec));
      e_.b.CreateBr(settle_);
      break;
    }
    case FlowBlock::End::yield: {
      BasicBlock* on = e_.new_block("go_on");
      BasicBlock* give_way = yield_test(block, on);
      e_.b.SetInsertPoint(on);
      go_shared(index, block.taken);
      e_.b.SetInsertPoint(give_way);
      e_.queue.add(Set::gave, e_.exec, block.next);
      dispatched_.insert(block.next);
      e_.b.CreateBr(dispatch_);
      break;
    }
    case FlowBlock::End::barrier:
      if (e_.recorded()) record_arrival(block);
      if (block.next == kNoBlock) {
        e_.b.CreateBr(settle_);
        break;
      }
      e_.queue.add(Set::held, e_.exec, block.next);
      dispatched_.insert(block.next);
      e_.b.CreateBr(dispatch_);
      break;
    case FlowBlock::End::branch: {
      const Held predicate = e_.registers.read_register(block.predicate);
      if (block.taken == block.next) {
        go_shared(index, block.next);
        break;
      }
      if (predicate.uniform()) {
        BasicBlock *taken = e_.new_block("taken"), *next = e_.new_block("not_taken");
        e_.b.CreateCondBr(predicate.parts[0], block.negated ? next : taken, block.negated ? taken : next);
        e_.b.SetInsertPoint(taken);
        go_shared(index, block.taken);
        e_.b.SetInsertPoint(next);
        go_shared(index, block.next);
        break;
      }
      Value* mask = e_.values.to_mask(e_.values.vector_of(predicate));
      if (block.negated) mask = e_.b.CreateNot(mask);
      part_shared(index, block, e_.b.CreateAnd(mask, e_.exec), e_.b.CreateAnd(e_.b.CreateNot(mask), e_.exec));
      break;
    }
  }
}

// All lanes may have met again.
void WarpFlow::converge_shared(BlockIndex index) {
  if (!e_.plan.gathers(index)) return;
  BasicBlock* body = e_.new_block("divergent_body");
  e_.b.CreateCondBr(e_.b.CreateICmpEQ(e_.exec, e_.b.getInt32(kAllLanes)), copies_[index].converged, body);
  e_.b.SetInsertPoint(body);
}

void WarpFlow::resume_shared(Set set) {
  e_.queue.assign(Set::ready, e_.queue.lanes(set));
  e_.queue.assign(set, e_.b.getInt32(0));
  e_.b.CreateBr(dispatch_);
}

void WarpFlow::emit_dispatch() {
  auto* i32 = e_.b.getInt32Ty();
  Value* none = e_.b.getInt32(0);
  if (settle_ != dispatch_) {  // lanes at meetings go on if they wait for no lane that is elsewhere
    e_.b.SetInsertPoint(settle_);
    Value* elsewhere = e_.queue.lanes(Set::ready);
    for (const Set set : {Set::held, Set::gave}) elsewhere = e_.b.CreateOr(elsewhere, e_.queue.lanes(set));
    Value* missing = e_.b.CreateAnd(e_.queue.named(), e_.values.splat(elsewhere));
    Value* blocked = e_.values.to_mask(e_.b.CreateICmpNE(missing, e_.values.constant(missing->getType(), 0)));
    Value* met = e_.queue.lanes(Set::met);
    blocked = e_.b.CreateAnd(blocked, met);
    e_.queue.assign(Set::met, blocked);
    if (!e_.plan.calls.empty()) e_.queue.assign(Set::asked, e_.b.CreateAnd(e_.queue.lanes(Set::asked), blocked));
    e_.queue.assign(Set::ready, e_.b.CreateOr(e_.queue.lanes(Set::ready), e_.b.CreateXor(met, blocked)));
    e_.b.CreateBr(dispatch_);
  }
  e_.b.SetInsertPoint(dispatch_);
  Value* ready = e_.queue.lanes(Set::ready);
  BasicBlock *some = e_.new_block("some_ready"), *idle = e_.new_block("none_ready"), *wrong = e_.new_block("nowhere");
  e_.b.CreateCondBr(e_.b.CreateICmpNE(ready, none), some, idle, mostly(e_.b.getContext()));
  e_.b.SetInsertPoint(some);
  Value* next = e_.queue.next();
  Value* asked = e_.b.CreateSelect(e_.values.to_vector(ready), next, e_.values.splat(e_.b.getInt32(kNoBlock)));
  Value* first = e_.b.CreateIntMinReduce(asked, false);
  Value* lanes = e_.values.to_mask(e_.b.CreateICmpEQ(asked, e_.values.splat(first)));
  e_.queue.assign(Set::ready, e_.b.CreateAnd(ready, e_.b.CreateNot(lanes)));
  e_.queue.assign(Set::running, lanes);
  auto* targets = e_.b.CreateSwitch(first, wrong);
  dispatched_.each(
      [&](BlockIndex i) { targets->addCase(llvm::ConstantInt::get(e_.b.getInt32Ty(), i), copies_[i].divergent); });
  e_.b.SetInsertPoint(wrong);
  e_.b.CreateUnreachable();

  e_.b.SetInsertPoint(idle);
  if (!e_.plan.calls.empty()) {  // lanes that wait in vain at a call's meeting go on
    Value* alone =
        e_.b.CreateSelect(e_.b.CreateICmpEQ(e_.queue.lanes(Set::gave), none), e_.queue.lanes(Set::asked), none);
    BasicBlock *go = e_.new_block("call_alone"), *on = e_.new_block("wait");
    e_.b.CreateCondBr(e_.b.CreateICmpNE(alone, none), go, on);
    e_.b.SetInsertPoint(go);
    e_.queue.assign(Set::ready, alone);
    e_.queue.assign(Set::asked, none);
    e_.queue.assign(Set::met, e_.b.CreateAnd(e_.queue.lanes(Set::met), e_.b.CreateNot(alone)));
    e_.b.CreateBr(dispatch_);
    e_.b.SetInsertPoint(on);
  }
  if (!e_.graph.barriers()) return finish_warp();
  Value *met = e_.queue.lanes(Set::met), *gave = e_.queue.lanes(Set::gave);
  Value* any = e_.b.CreateOr(e_.b.CreateOr(met, gave), e_.queue.lanes(Set::held));
  BasicBlock *save = e_.new_block("suspend_all"), *done = e_.new_block("warp_done");
  e_.b.CreateCondBr(e_.b.CreateICmpNE(any, none), save, done);
  e_.b.SetInsertPoint(done);
  finish_warp();
  e_.b.SetInsertPoint(save);
  Value* gave_way = e_.b.CreateICmpNE(gave, none);
  if (!e_.graph.meetings.empty()) check_shared(met, gave_way);
  if (e_.recorded() && e_.graph.yields)  // lanes that gave way wait for no barrier
    e_.services.serve({Service::suspended, e_.b.CreateSelect(gave_way, none, any), 0}, {});
  Value* state = e_.b.getInt32(kStateMany);
  if (e_.graph.yields) {
    state = e_.b.CreateSelect(gave_way, e_.b.getInt32(kStateYielded), state);
    Value* count = e_.b.CreateLoad(i32, warps_yielded_);
    e_.b.CreateStore(e_.b.CreateOr(count, e_.b.CreateZExt(gave_way, i32)), warps_yielded_);
  }
  e_.b.CreateStore(state, e_.saves.slot(kOffsetState));
  e_.b.CreateStore(e_.b.getTrue(), warps_waiting_);
  e_.b.CreateBr(e_.warp_next);
}

// Where no lane of the warp runs any more: no lane may wait at a meeting if all that could come there wait elsewhere.
void WarpFlow::check_shared(Value* met, Value* gave_way) {
  auto* i32 = e_.b.getInt32Ty();
  Value* stuck = e_.b.CreateAnd(met, e_.b.CreateNot(e_.queue.lanes(Set::asked)));
  e_.cold_branch(
      e_.b.CreateAnd(e_.b.CreateNot(gave_way), e_.b.CreateICmpNE(stuck, e_.b.getInt32(0))),
      [&] {
        // By block: what lanes do that wait for it.
        std::vector<std::uint32_t> sites(e_.graph.blocks.size(), kAllLanes);
        e_.graph.meetings.each(
            [&](BlockIndex i) { sites[i] = e_.services.site(e_.function.instructions[e_.graph.blocks[i].begin]); });
        for (const FlowBlock& block : e_.graph.blocks)
          if (block.ends == FlowBlock::End::barrier && block.next != kNoBlock)
            sites[block.next] = e_.services.site(
                e_.function.instructions[block.arrives != ptx::kNoIndex ? block.arrives : block.end - 1]);
        Value* table = e_.slots.constant_table(llvm::ConstantDataArray::get(e_.b.getContext(), sites));
        Value *next = e_.queue.next(), *all = e_.values.splat(e_.b.getInt32(kAllLanes));
        auto sites_of = [&](Value* lanes) {
          return e_.b.CreateMaskedGather(e_.values.lanes(i32), e_.b.CreateInBoundsGEP(i32, table, next), llvm::Align(4),
                                         e_.values.to_vector(lanes), all);
        };
        Value* site = e_.b.CreateIntMinReduce(sites_of(stuck), false);
        Value* lanes = e_.values.to_mask(e_.b.CreateICmpEQ(sites_of(stuck), e_.values.splat(site)));
        Value* inputs[] = {e_.queue.named(), sites_of(e_.queue.lanes(Set::held))};
        e_.services.serve({Service::warp_stuck, lanes, 0, site}, inputs);
      },
      "meets_nobody");
}

}  // namespace xcuda::device::cpu
