// The clones of basic blocks, and their instructions.
#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"
#include "device/cpu/plan/warp_sync.hpp"

namespace xcuda::device::cpu {

using llvm::BasicBlock;

void WarpFlow::emit_blocks() {
  for (BlockIndex i = 0; i < e_.graph.blocks.size(); ++i)
    if (e_.plan.reached[i]) {
      emit_clone(i, Clone::converged);
      if (!e_.one_thread()) emit_clone(i, Clone::divergent);
    }
}

void WarpFlow::emit_clone(BlockIndex index, Clone clone) {
  const FlowBlock& block = e_.graph.blocks[index];
  Copies& copies = copies_[index];
  e_.clone = clone;
  e_.block = index;
  e_.b.SetInsertPoint(clone == Clone::converged ? copies.converged : copies.divergent);
  const LaneLoop* loop = e_.plan.lane_loop_at(index);
  const bool always = loop != nullptr && loop->always();
  if (clone == Clone::converged) {
    e_.exec = e_.b.getInt32(e_.one_thread() ? 1 : kAllLanes);
    if (always || !e_.plan.converged.contains(index)) {
      if (e_.plan.shared()) return enter_shared(index, e_.exec);
      e_.b.CreateStore(e_.exec, copies.pending);
      return enter(index, BitSet(e_.graph.blocks.size()), BitSet(e_.graph.blocks.size()));
    }
  } else {
    e_.exec = e_.plan.shared() ? e_.queue.lanes(LaneQueue::Set::running)
                               : e_.b.CreateLoad(e_.b.getInt32Ty(), copies.pending, "exec");
    if (always) return emit_lane_loop(*loop);
    if (e_.plan.shared()) {
      converge_shared(index);
    } else if (e_.plan.joins(index)) {
      BasicBlock* body = e_.new_block("divergent_body");
      e_.b.CreateCondBr(e_.b.CreateICmpEQ(e_.exec, e_.b.getInt32(kAllLanes)), copies.converged, body);
      e_.b.SetInsertPoint(body);
    }
    if (loop != nullptr) {
      BasicBlock *few = e_.new_block("few_lanes"), *many = e_.new_block("many_lanes");
      Value* count = e_.b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, e_.exec);
      e_.b.CreateCondBr(e_.b.CreateICmpULE(count, e_.b.getInt32(static_cast<std::uint32_t>(loop->most))), few, many);
      e_.b.SetInsertPoint(few);
      emit_lane_loop(*loop);
      e_.b.SetInsertPoint(many);
    }
  }
  e_.registers.begin_block();
  emit_body(block);
  if (block.arrives != ptx::kNoIndex) e_.votes.arrive(e_.function.instructions[block.arrives]);
  e_.registers.flush();
  if (clone == Clone::converged)
    end_converged(block);
  else if (e_.plan.shared())
    end_shared(index, block);
  else
    end_divergent(index, block);
  e_.registers.end_block();
  e_.b.SetCurrentDebugLocation({});
}

// All but the jump at the end.
void WarpFlow::emit_body(const FlowBlock& block) {
  ptx::Index end = block.end;
  if (end > block.begin && block.arrives == ptx::kNoIndex && block.ends != FlowBlock::End::meet &&
      (block.ends != FlowBlock::End::next || e_.function.instructions[end - 1].is(ptx::Trait::branches)) &&
      !(block.ends == FlowBlock::End::leave && !e_.function.instructions[end - 1].is(ptx::Trait::leaves)))
    --end;  // the last instruction is control
  for (ptx::Index i = block.begin; i < end; ++i) emit_instruction(e_.function.instructions[i]);
  e_.instruction = nullptr;
  e_.guarded = false;
  if (block.end > block.begin) e_.mark(e_.function.instructions[block.end - 1], e_.part());
}

// What orders accesses, beside barriers and atomics.
void WarpFlow::record_order(const ptx::Instruction& instruction) {
  if (instruction.is(ptx::Trait::fence)) e_.services.call(Service::fence, {}, e_.masks.active_mask(), instruction);
  if (instruction.is_barrier_of_block()) return;
  if (const ptx::Operand* named = named_lanes(e_.function, instruction)) {
    Value* masks[] = {e_.registers.read_vector(*named, ptx::Type::b32)};
    e_.services.call(Service::warp_synchronised, masks, e_.masks.active_mask(), instruction);
  }
}

void WarpFlow::emit_instruction(const ptx::Instruction& instruction) {
  const Family family = e_.family_of(instruction.opcode);
  if (!family) e_.not_refused(instruction);
  e_.instruction = &instruction;
  e_.guarded = instruction.guarded();
  e_.mark(instruction, e_.part());
  if (e_.recorded()) record_order(instruction);
  family(e_, instruction);
  e_.instruction = nullptr;
  e_.guarded = false;
}

}  // namespace xcuda::device::cpu
