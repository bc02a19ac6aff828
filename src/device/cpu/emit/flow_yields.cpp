// Giving way, and barriers that reduce: parts of a block's rounds over its warps besides plain barriers.
//
// A round runs each warp until it waits. Warps at a barrier stay there as long as another warp gave way in the round.
#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"

namespace xcuda::device::cpu {

using llvm::BasicBlock;

namespace {

constexpr std::uint32_t kRoundsOfABlock = 4;  // in which warps gave way, before other blocks run

}  // namespace

BasicBlock* WarpFlow::converged_of(BlockIndex block) { return copies_[block].converged; }

// At the end of a turn: goes on, or to the block that is returned once there were enough turns.
BasicBlock* WarpFlow::yield_test(const FlowBlock& block, BasicBlock* on) {
  auto* i32 = e_.b.getInt32Ty();
  BasicBlock* give_way = e_.new_block("give_way");
  Value* turns = e_.b.CreateAdd(e_.b.CreateLoad(i32, turns_), e_.b.getInt32(1));
  Value* enough = e_.b.CreateICmpUGE(turns, e_.b.getInt32(block.turns));
  e_.b.CreateStore(e_.b.CreateSelect(enough, e_.b.getInt32(0), turns), turns_);
  e_.b.CreateCondBr(enough, give_way, on);
  return give_way;
}

// At the end of a round; `waiting`: some warp has not ended. Returns whether there is another round.
Value* WarpFlow::end_round(Value* waiting) {
  auto* i32 = e_.b.getInt32Ty();
  Value* word = e_.b.CreateLoad(i32, warps_yielded_);  // bit 0: in this round; the rest counts rounds
  Value* gave_way = e_.b.CreateICmpNE(e_.b.CreateAnd(word, e_.b.getInt32(1)), e_.b.getInt32(0));
  e_.b.CreateStore(e_.b.CreateNot(gave_way), release_);
  Value* rounds = e_.b.CreateSelect(
      gave_way, e_.b.CreateAdd(e_.b.CreateAnd(word, e_.b.getInt32(~1u)), e_.b.getInt32(2)), e_.b.getInt32(0));
  e_.b.CreateStore(rounds, warps_yielded_);
  BasicBlock *others = e_.new_block("other_blocks"), *stay = e_.new_block("same_block");
  e_.b.CreateCondBr(e_.b.CreateICmpUGE(rounds, e_.b.getInt32(2 * kRoundsOfABlock)), others, stay);
  e_.b.SetInsertPoint(others);
  e_.b.CreateRet(e_.b.getInt32(static_cast<std::uint32_t>(Outcome::waiting)));
  e_.b.SetInsertPoint(stay);
  return waiting;
}

void WarpFlow::emit_yielded_resume() {
  e_.b.SetInsertPoint(yielded_);
  const std::size_t blocks = e_.graph.blocks.size();
  BitSet live(e_.function.registers.size()), gave_way(blocks), at_barrier(blocks);
  e_.plan.together.each([&](BlockIndex i) {
    live.insert(e_.graph.live[i]);
    const bool yield = e_.graph.blocks[i].after_yield;
    (yield ? gave_way : at_barrier).insert(i);
    Value* mask = e_.b.CreateLoad(e_.b.getInt32Ty(), e_.saves.slot(kOffsetMasks + 4 * i));
    e_.b.CreateStore(mask, yield ? copies_[i].pending : copies_[i].waiting);
  });
  e_.saves.restore(live);
  if (gave_way.empty())
    e_.b.CreateUnreachable();
  else
    run_first_of(gave_way.members(), gave_way, at_barrier);
}

// --- bar.red -------------------------------------------------------------------------------------------------------

}  // namespace xcuda::device::cpu
