// The ends of blocks: where lanes go, and which of those that diverged run first.
#include <algorithm>

#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"

namespace xcuda::device::cpu {

using llvm::BasicBlock;

void WarpFlow::end_converged(const FlowBlock& block) {
  auto target = [&](BlockIndex next) {
    if (next != kNoBlock) return copies_[next].converged;
    BasicBlock* done = e_.new_block("warp_done");
    llvm::IRBuilder<>::InsertPointGuard guard(e_.b);
    e_.b.SetInsertPoint(done);
    finish_warp();
    return done;
  };
  switch (block.ends) {
    case FlowBlock::End::next:
    case FlowBlock::End::meet: e_.b.CreateBr(target(block.next)); break;
    case FlowBlock::End::leave: finish_warp(); break;
    case FlowBlock::End::barrier:
      if (e_.one_thread()) {
        e_.b.CreateBr(target(block.next));
        break;
      }
      if (e_.recorded()) record_arrival(block);
      if (block.next == kNoBlock)
        finish_warp();
      else
        suspend(block.next, e_.b.getInt32(kAllLanes));
      break;
    case FlowBlock::End::yield: {
      BasicBlock* give_way = yield_test(block, converged_of(block.taken));
      e_.b.SetInsertPoint(give_way);
      if (e_.plan.shared()) {
        e_.queue.add(LaneQueue::Set::gave, e_.b.getInt32(kAllLanes), block.next);
        dispatched_.insert(block.next);
        e_.b.CreateBr(dispatch_);
        break;
      }
      e_.b.CreateStore(e_.b.getInt32(kAllLanes), copies_[block.next].waiting);
      BitSet waiting(e_.graph.blocks.size());
      waiting.insert(block.next);
      suspend_all(waiting);
      break;
    }
    case FlowBlock::End::branch: {
      const Held predicate = e_.registers.read_register(block.predicate);
      BasicBlock *taken = target(block.taken), *next = target(block.next);
      if (block.taken == block.next) {
        e_.b.CreateBr(next);
        break;
      }
      if (predicate.uniform()) {
        Value* condition = predicate.parts[0];
        if (block.negated) std::swap(taken, next);
        e_.b.CreateCondBr(condition, taken, next);
        break;
      }
      Value* mask = e_.values.to_mask(e_.values.vector_of(predicate));
      if (block.negated) mask = e_.b.CreateNot(mask);
      BasicBlock *mixed = e_.new_block("mixed"), *diverge = e_.new_block("diverge");
      e_.b.CreateCondBr(e_.b.CreateICmpEQ(mask, e_.b.getInt32(kAllLanes)), taken, mixed);
      e_.b.SetInsertPoint(mixed);
      e_.b.CreateCondBr(e_.b.CreateICmpEQ(mask, e_.b.getInt32(0)), next, diverge);
      e_.b.SetInsertPoint(diverge);
      if (e_.plan.shared()) {
        part_shared(e_.block, block, mask, e_.b.CreateNot(mask));
        break;
      }
      if (block.taken != kNoBlock) e_.b.CreateStore(mask, copies_[block.taken].pending);
      if (block.next != kNoBlock) e_.b.CreateStore(e_.b.CreateNot(mask), copies_[block.next].pending);
      BitSet held(e_.graph.blocks.size());
      for (BlockIndex to : {block.taken, block.next})
        if (to != kNoBlock) held.insert(to);
      enter(std::min(block.taken, block.next), held, BitSet(e_.graph.blocks.size()));  // kNoBlock is the greatest
      break;
    }
  }
}

// Goes to a block's divergent clone. held and waiting are the blocks whose masks are up to date; others that may be
// pending there hold no lanes on this way.
void WarpFlow::enter(BlockIndex to, const BitSet& held, const BitSet& waiting) {
  e_.plan.pending[to].each([&](BlockIndex other) {
    if (!held.contains(other)) e_.b.CreateStore(e_.b.getInt32(0), copies_[other].pending);
  });
  e_.plan.waiting[to].each([&](BlockIndex other) {
    if (!waiting.contains(other)) e_.b.CreateStore(e_.b.getInt32(0), copies_[other].waiting);
  });
  e_.b.CreateBr(copies_[to].divergent);
}

void WarpFlow::add_pending(BlockIndex from, BlockIndex to, Value* mask) {
  if (e_.plan.pending[from].contains(to))
    mask = e_.b.CreateOr(mask, e_.b.CreateLoad(e_.b.getInt32Ty(), copies_[to].pending));
  e_.b.CreateStore(mask, copies_[to].pending);
}

void WarpFlow::end_divergent(BlockIndex index, const FlowBlock& block) {
  const BitSet &pending = e_.plan.pending[index], &waiting = e_.plan.waiting[index];
  // All lanes that run go to one block.
  auto go = [&](BlockIndex to) {
    if (to == kNoBlock) return run_first_or_wait(let_go(pending, waiting, std::nullopt), waiting);
    add_pending(index, to, e_.exec);
    std::vector<BlockIndex> candidates = pending.members();
    candidates.erase(std::remove_if(candidates.begin(), candidates.end(), [&](BlockIndex c) { return c >= to; }),
                     candidates.end());
    candidates.push_back(to);  // holds lanes, so that none after it is asked
    BitSet held = pending;
    held.insert(to);
    run_first_of(candidates, held, waiting);
  };
  switch (block.ends) {
    case FlowBlock::End::next: go(block.next); break;
    case FlowBlock::End::leave: run_first_or_wait(let_go(pending, waiting, std::nullopt), waiting); break;
    case FlowBlock::End::meet: {
      BitSet all = waiting;
      all.insert(block.next);
      run_first_or_wait(let_go(pending, waiting, block.next), all);
      break;
    }
    case FlowBlock::End::yield: {
      BasicBlock* on = e_.new_block("go_on");
      BasicBlock* give_way = yield_test(block, on);
      e_.b.SetInsertPoint(on);
      go(block.taken);
      e_.b.SetInsertPoint(give_way);
      run_first_or_wait(pending, add_waiting(index, block.next));
      break;
    }
    case FlowBlock::End::barrier: {
      if (e_.recorded()) record_arrival(block);
      if (block.next == kNoBlock) {
        run_first_or_wait(let_go(pending, waiting, std::nullopt), waiting);
        break;
      }
      if (pending.empty() && e_.plan.others(waiting).empty()) {
        e_.b.CreateStore(e_.exec, copies_[block.next].waiting);  // for the message, should lanes wait for these
        BitSet all = waiting;
        all.insert(block.next);
        if (!waiting.empty()) check_meetings(all, e_.b.getTrue());
        suspend(block.next, e_.exec);
        break;
      }
      run_first_or_wait(pending, add_waiting(index, block.next));
      break;
    }
    case FlowBlock::End::branch: {
      const Held predicate = e_.registers.read_register(block.predicate);
      if (predicate.uniform()) {
        BasicBlock *taken = e_.new_block("taken"), *next = e_.new_block("not_taken");
        e_.b.CreateCondBr(predicate.parts[0], block.negated ? next : taken, block.negated ? taken : next);
        e_.b.SetInsertPoint(taken);
        go(block.taken);
        e_.b.SetInsertPoint(next);
        go(block.next);
        break;
      }
      Value* mask = e_.values.to_mask(e_.values.vector_of(predicate));
      if (block.negated) mask = e_.b.CreateNot(mask);
      Value* taken = e_.b.CreateAnd(mask, e_.exec);
      Value* next = e_.b.CreateAnd(e_.b.CreateNot(mask), e_.exec);
      if (block.taken == block.next) {
        go(block.next);
        break;
      }
      BitSet held = pending;
      if (block.taken != kNoBlock) add_pending(index, block.taken, taken), held.insert(block.taken);
      if (block.next != kNoBlock) add_pending(index, block.next, next), held.insert(block.next);
      std::vector<BlockIndex> candidates = held.members();
      if (block.taken != kNoBlock && block.next != kNoBlock) {
        // One of the two holds lanes: none after the second is asked, and the second is not asked.
        const BlockIndex last = std::max(block.taken, block.next);
        candidates.erase(std::upper_bound(candidates.begin(), candidates.end(), last), candidates.end());
        run_first_of(candidates, held, waiting);
      } else {
        run_first_or_wait(let_go(held, waiting, std::nullopt), waiting);
      }
      break;
    }
  }
}

// The lanes that run wait for a block. Returns the blocks that lanes wait for then.
BitSet WarpFlow::add_waiting(BlockIndex from, BlockIndex to) {
  Value* slot = copies_[to].waiting;
  BitSet all = e_.plan.waiting[from];
  Value* mask = e_.exec;
  if (all.contains(to)) mask = e_.b.CreateOr(mask, e_.b.CreateLoad(e_.b.getInt32Ty(), slot));
  e_.b.CreateStore(mask, slot);
  all.insert(to);
  return all;
}

// Goes to the first candidate that holds lanes; the last one holds some if none before it does.
void WarpFlow::run_first_of(const std::vector<BlockIndex>& candidates, const BitSet& held, const BitSet& waiting) {
  for (std::size_t i = 0; i + 1 < candidates.size(); ++i) try_enter(candidates[i], held, waiting);
  enter(candidates.back(), held, waiting);
}

void WarpFlow::try_enter(BlockIndex to, const BitSet& held, const BitSet& waiting) {
  BasicBlock *way = e_.new_block("way"), *other = e_.new_block("try_next");
  Value* mask = e_.b.CreateLoad(e_.b.getInt32Ty(), copies_[to].pending);
  e_.b.CreateCondBr(e_.b.CreateICmpNE(mask, e_.b.getInt32(0)), way, other);
  e_.b.SetInsertPoint(way);
  enter(to, held, waiting);
  e_.b.SetInsertPoint(other);
}

// Runs the first block with lanes, if there is one; otherwise only lanes that wait at barriers are left of the warp.
void WarpFlow::run_first_or_wait(const BitSet& held, const BitSet& waiting) {
  held.each([&](BlockIndex c) { try_enter(c, held, waiting); });
  if (const BitSet calls = common(waiting, e_.plan.calls); !calls.empty()) {
    BitSet others = waiting, gave_way(e_.graph.blocks.size());
    others.erase(calls);
    others.each([&](BlockIndex i) {
      if (e_.graph.blocks[i].after_yield) gave_way.insert(i);
    });
    BasicBlock *go = e_.new_block("call_alone"), *on = e_.new_block("wait");
    Value* alone = e_.b.CreateICmpNE(waiting_in(calls), e_.b.getInt32(0));
    alone = e_.b.CreateAnd(alone, e_.b.CreateICmpEQ(waiting_in(gave_way), e_.b.getInt32(0)));
    e_.b.CreateCondBr(alone, go, on);
    e_.b.SetInsertPoint(go);
    calls.each([&](BlockIndex i) {
      e_.b.CreateStore(e_.b.CreateLoad(e_.b.getInt32Ty(), copies_[i].waiting), copies_[i].pending);
    });
    run_first_of(calls.members(), calls, others);
    e_.b.SetInsertPoint(on);
  }
  if (waiting.empty() || !e_.graph.barriers())
    finish_warp();
  else
    suspend_all(waiting);
}

void WarpFlow::finish_warp() {
  if (e_.graph.barriers()) e_.b.CreateStore(e_.b.getInt32(kStateDone), e_.saves.slot(kOffsetState));
  e_.b.CreateBr(e_.warp_next);
}

}  // namespace xcuda::device::cpu
