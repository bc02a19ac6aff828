// The ends of blocks: where lanes go, and which of those that diverged run first.
#include <algorithm>

#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"

namespace xcuda::device::cpu {

using llvm::BasicBlock;

void Emitter::end_converged(const Block& block) {
  auto target = [&](BlockIndex next) {
    if (next != no_block) return copies_[next].converged;
    BasicBlock* done = new_block("warp_done");
    llvm::IRBuilder<>::InsertPointGuard guard(builder_);
    builder_.SetInsertPoint(done);
    finish_warp();
    return done;
  };
  switch (block.ends) {
    case Block::End::next:
    case Block::End::meet: builder_.CreateBr(target(block.next)); break;
    case Block::End::leave: finish_warp(); break;
    case Block::End::barrier:
      if (recorded()) record_arrival(function_.instructions[block.end - 1]);
      if (block.next == no_block)
        finish_warp();
      else
        suspend(block.next, builder_.getInt32(all_lanes));
      break;
    case Block::End::yield: {
      BasicBlock* give_way = yield_test(block, converged_of(block.taken));
      builder_.SetInsertPoint(give_way);
      builder_.CreateStore(builder_.getInt32(all_lanes), copies_[block.next].waiting);
      BitSet waiting(graph_.blocks.size());
      waiting.insert(block.next);
      suspend_all(waiting);
      break;
    }
    case Block::End::branch: {
      const Held predicate = read_register(block.predicate);
      BasicBlock *taken = target(block.taken), *next = target(block.next);
      if (block.taken == block.next) {
        builder_.CreateBr(next);
        break;
      }
      if (predicate.uniform()) {
        Value* condition = predicate.parts[0];
        if (block.negated) std::swap(taken, next);
        builder_.CreateCondBr(condition, taken, next);
        break;
      }
      Value* mask = to_mask(vector_of(predicate));
      if (block.negated) mask = builder_.CreateNot(mask);
      BasicBlock *mixed = new_block("mixed"), *diverge = new_block("diverge");
      builder_.CreateCondBr(builder_.CreateICmpEQ(mask, builder_.getInt32(all_lanes)), taken, mixed);
      builder_.SetInsertPoint(mixed);
      builder_.CreateCondBr(builder_.CreateICmpEQ(mask, builder_.getInt32(0)), next, diverge);
      builder_.SetInsertPoint(diverge);
      if (block.taken != no_block) builder_.CreateStore(mask, copies_[block.taken].pending);
      if (block.next != no_block) builder_.CreateStore(builder_.CreateNot(mask), copies_[block.next].pending);
      BitSet held(graph_.blocks.size());
      for (BlockIndex to : {block.taken, block.next})
        if (to != no_block) held.insert(to);
      enter(std::min(block.taken, block.next), held, BitSet(graph_.blocks.size()));  // no_block is the greatest
      break;
    }
  }
}

// Goes to a block's divergent clone. held and waiting are the blocks whose masks are up to date; others that may be
// pending there hold no lanes on this way.
void Emitter::enter(BlockIndex to, const BitSet& held, const BitSet& waiting) {
  plan_.pending[to].each([&](BlockIndex other) {
    if (!held.contains(other)) builder_.CreateStore(builder_.getInt32(0), copies_[other].pending);
  });
  plan_.waiting[to].each([&](BlockIndex other) {
    if (!waiting.contains(other)) builder_.CreateStore(builder_.getInt32(0), copies_[other].waiting);
  });
  builder_.CreateBr(copies_[to].divergent);
}

void Emitter::add_pending(BlockIndex from, BlockIndex to, Value* mask) {
  if (plan_.pending[from].contains(to))
    mask = builder_.CreateOr(mask, builder_.CreateLoad(builder_.getInt32Ty(), copies_[to].pending));
  builder_.CreateStore(mask, copies_[to].pending);
}

void Emitter::end_divergent(BlockIndex index, const Block& block) {
  const BitSet &pending = plan_.pending[index], &waiting = plan_.waiting[index];
  // All lanes that run go to one block.
  auto go = [&](BlockIndex to) {
    if (to == no_block) return run_first_or_wait(let_go(pending, waiting, std::nullopt), waiting);
    add_pending(index, to, exec_);
    std::vector<BlockIndex> candidates = pending.members();
    candidates.erase(std::remove_if(candidates.begin(), candidates.end(), [&](BlockIndex c) { return c >= to; }),
                     candidates.end());
    candidates.push_back(to);  // holds lanes, so that none behind it is asked
    BitSet held = pending;
    held.insert(to);
    run_first_of(candidates, held, waiting);
  };
  switch (block.ends) {
    case Block::End::next: go(block.next); break;
    case Block::End::leave: run_first_or_wait(let_go(pending, waiting, std::nullopt), waiting); break;
    case Block::End::meet: {
      BitSet all = waiting;
      all.insert(block.next);
      run_first_or_wait(let_go(pending, waiting, block.next), all);
      break;
    }
    case Block::End::yield: {
      BasicBlock* on = new_block("go_on");
      BasicBlock* give_way = yield_test(block, on);
      builder_.SetInsertPoint(on);
      go(block.taken);
      builder_.SetInsertPoint(give_way);
      run_first_or_wait(pending, add_waiting(index, block.next));
      break;
    }
    case Block::End::barrier: {
      if (recorded()) record_arrival(function_.instructions[block.end - 1]);
      if (block.next == no_block) {
        run_first_or_wait(let_go(pending, waiting, std::nullopt), waiting);
        break;
      }
      if (pending.empty() && plan_.others(waiting).empty()) {
        builder_.CreateStore(exec_, copies_[block.next].waiting);  // for the message, should lanes wait for these
        BitSet all = waiting;
        all.insert(block.next);
        if (!waiting.empty()) check_meetings(all, builder_.getTrue());
        suspend(block.next, exec_);
        break;
      }
      run_first_or_wait(pending, add_waiting(index, block.next));
      break;
    }
    case Block::End::branch: {
      const Held predicate = read_register(block.predicate);
      if (predicate.uniform()) {
        BasicBlock *taken = new_block("taken"), *next = new_block("not_taken");
        builder_.CreateCondBr(predicate.parts[0], block.negated ? next : taken, block.negated ? taken : next);
        builder_.SetInsertPoint(taken);
        go(block.taken);
        builder_.SetInsertPoint(next);
        go(block.next);
        break;
      }
      Value* mask = to_mask(vector_of(predicate));
      if (block.negated) mask = builder_.CreateNot(mask);
      Value* taken = builder_.CreateAnd(mask, exec_);
      Value* next = builder_.CreateAnd(builder_.CreateNot(mask), exec_);
      if (block.taken == block.next) {
        go(block.next);
        break;
      }
      BitSet held = pending;
      if (block.taken != no_block) add_pending(index, block.taken, taken), held.insert(block.taken);
      if (block.next != no_block) add_pending(index, block.next, next), held.insert(block.next);
      std::vector<BlockIndex> candidates = held.members();
      if (block.taken != no_block && block.next != no_block) {
        // One of the two holds lanes: none behind the second is asked, and the second is not asked.
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
BitSet Emitter::add_waiting(BlockIndex from, BlockIndex to) {
  Value* slot = copies_[to].waiting;
  BitSet all = plan_.waiting[from];
  Value* mask = exec_;
  if (all.contains(to)) mask = builder_.CreateOr(mask, builder_.CreateLoad(builder_.getInt32Ty(), slot));
  builder_.CreateStore(mask, slot);
  all.insert(to);
  return all;
}

// Goes to the first candidate that holds lanes; the last one holds some if none before it does.
void Emitter::run_first_of(const std::vector<BlockIndex>& candidates, const BitSet& held, const BitSet& waiting) {
  for (std::size_t i = 0; i + 1 < candidates.size(); ++i) try_enter(candidates[i], held, waiting);
  enter(candidates.back(), held, waiting);
}

void Emitter::try_enter(BlockIndex to, const BitSet& held, const BitSet& waiting) {
  BasicBlock *way = new_block("way"), *other = new_block("try_next");
  Value* mask = builder_.CreateLoad(builder_.getInt32Ty(), copies_[to].pending);
  builder_.CreateCondBr(builder_.CreateICmpNE(mask, builder_.getInt32(0)), way, other);
  builder_.SetInsertPoint(way);
  enter(to, held, waiting);
  builder_.SetInsertPoint(other);
}

// The same when there may be none: then the lanes that wait at barriers are all that is left of the warp.
void Emitter::run_first_or_wait(const BitSet& held, const BitSet& waiting) {
  held.each([&](BlockIndex c) { try_enter(c, held, waiting); });
  if (const BitSet calls = common(waiting, plan_.calls); !calls.empty()) {
    BitSet others = waiting, gave_way(graph_.blocks.size());
    others.erase(calls);
    others.each([&](BlockIndex i) {
      if (graph_.blocks[i].behind_yield) gave_way.insert(i);
    });
    BasicBlock *go = new_block("call_alone"), *on = new_block("wait");
    Value* alone = builder_.CreateICmpNE(waiting_in(calls), builder_.getInt32(0));
    alone = builder_.CreateAnd(alone, builder_.CreateICmpEQ(waiting_in(gave_way), builder_.getInt32(0)));
    builder_.CreateCondBr(alone, go, on);
    builder_.SetInsertPoint(go);
    calls.each([&](BlockIndex i) {
      builder_.CreateStore(builder_.CreateLoad(builder_.getInt32Ty(), copies_[i].waiting), copies_[i].pending);
    });
    run_first_of(calls.members(), calls, others);
    builder_.SetInsertPoint(on);
  }
  if (waiting.empty() || !graph_.barriers())
    finish_warp();
  else
    suspend_all(waiting);
}

void Emitter::finish_warp() {
  if (graph_.barriers()) builder_.CreateStore(builder_.getInt32(state_done), save_slot(offset_state));
  builder_.CreateBr(warp_next_);
}

}  // namespace xcuda::device::cpu
