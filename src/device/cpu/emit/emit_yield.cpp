// Giving way, and barriers that reduce: what a block's rounds over its warps need besides plain barriers.
//
// A round runs each warp until it waits. Warps at a barrier stay there as long as another warp gave way in the round.
#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"

namespace xcuda::device::cpu {

using llvm::BasicBlock;

namespace {

constexpr std::uint32_t rounds_of_a_block = 4;  // in which warps gave way, before other blocks run

}  // namespace

BasicBlock* Emitter::converged_of(BlockIndex block) { return copies_[block].converged; }

// At the end of a turn: goes on, or to the block that is returned once there were enough turns.
BasicBlock* Emitter::yield_test(const Block& block, BasicBlock* on) {
  auto* i32 = builder_.getInt32Ty();
  BasicBlock* give_way = new_block("give_way");
  Value* turns = builder_.CreateAdd(builder_.CreateLoad(i32, turns_), builder_.getInt32(1));
  Value* enough = builder_.CreateICmpUGE(turns, builder_.getInt32(block.turns));
  builder_.CreateStore(builder_.CreateSelect(enough, builder_.getInt32(0), turns), turns_);
  builder_.CreateCondBr(enough, give_way, on);
  return give_way;
}

// At the end of a round; `waiting`: some warp has not ended. Returns whether there is another round.
Value* Emitter::end_round(Value* waiting) {
  auto* i32 = builder_.getInt32Ty();
  Value* word = builder_.CreateLoad(i32, warps_yielded_);  // bit 0: in this round; the rest counts rounds
  Value* gave_way = builder_.CreateICmpNE(builder_.CreateAnd(word, builder_.getInt32(1)), builder_.getInt32(0));
  builder_.CreateStore(builder_.CreateNot(gave_way), release_);
  Value* rounds = builder_.CreateSelect(
      gave_way, builder_.CreateAdd(builder_.CreateAnd(word, builder_.getInt32(~1u)), builder_.getInt32(2)),
      builder_.getInt32(0));
  builder_.CreateStore(rounds, warps_yielded_);
  BasicBlock *others = new_block("other_blocks"), *stay = new_block("same_block");
  builder_.CreateCondBr(builder_.CreateICmpUGE(rounds, builder_.getInt32(2 * rounds_of_a_block)), others, stay);
  builder_.SetInsertPoint(others);
  builder_.CreateRet(builder_.getInt32(static_cast<std::uint32_t>(Outcome::waiting)));
  builder_.SetInsertPoint(stay);
  return waiting;
}

void Emitter::emit_yielded_resume() {
  builder_.SetInsertPoint(yielded_);
  const std::size_t blocks = graph_.blocks.size();
  BitSet live(function_.registers.size()), gave_way(blocks), at_barrier(blocks);
  plan_.together.each([&](BlockIndex i) {
    live.insert(graph_.live[i]);
    const bool yield = graph_.blocks[i].behind_yield;
    (yield ? gave_way : at_barrier).insert(i);
    Value* mask = builder_.CreateLoad(builder_.getInt32Ty(), save_slot(offset_masks + 4 * i));
    builder_.CreateStore(mask, yield ? copies_[i].pending : copies_[i].waiting);
  });
  restore_registers(live);
  if (gave_way.empty())
    builder_.CreateUnreachable();
  else
    run_first_of(gave_way.members(), gave_way, at_barrier);
}

// --- bar.red -------------------------------------------------------------------------------------------------------

bool Emitter::reduces() const {
  for (const Block& block : graph_.blocks)
    if (block.arrives != ptx::none) return true;
  return false;
}

// 0 and 1: threads that arrived with true and with false; 2 and 3: the same of the last complete barrier.
Value* Emitter::votes(std::size_t index) {
  return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), frame_, offsetof(BlockFrame, votes) + 4 * index);
}

void Emitter::arrive(const ptx::Instruction& instruction) {
  auto* i32 = builder_.getInt32Ty();
  instruction_ = &instruction;
  Value* holds = to_mask(read_vector(operands(instruction)[2], ptx::Type::pred));
  instruction_ = nullptr;
  for (const bool wanted : {true, false}) {
    Value* lanes = builder_.CreateAnd(wanted ? holds : builder_.CreateNot(holds), exec_);
    Value* count = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, lanes);
    Value* slot = votes(wanted ? 0 : 1);
    builder_.CreateStore(builder_.CreateAdd(builder_.CreateLoad(i32, slot), count), slot);
  }
}

void Emitter::write_vote(const ptx::Instruction& instruction) {
  auto* i32 = builder_.getInt32Ty();
  Value *holding = builder_.CreateLoad(i32, votes(2)), *failing = builder_.CreateLoad(i32, votes(3));
  const ptx::Operand& target = operands(instruction)[0];
  Value* none = builder_.getInt32(0);
  switch (instruction.has(Modifier::popc)   ? Modifier::popc
          : instruction.has(Modifier::and_) ? Modifier::and_
                                            : Modifier::or_) {
    case Modifier::popc: return write(target, uniform(holding), ptx::Type::u32);
    case Modifier::and_: return write(target, uniform(builder_.CreateICmpEQ(failing, none)), ptx::Type::pred);
    case Modifier::or_: return write(target, uniform(builder_.CreateICmpNE(holding, none)), ptx::Type::pred);
    default: unsupported(instruction);
  }
}

}  // namespace xcuda::device::cpu
