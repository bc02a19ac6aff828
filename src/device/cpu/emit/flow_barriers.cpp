// Barriers: a warp saves the live registers that have changed, and is resumed when all threads have come.
#include <algorithm>

#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"

namespace xcuda::device::cpu {

using llvm::BasicBlock;

// All lanes of the warp that have not left wait for the same block, which one barrier is before.
void WarpFlow::suspend(BlockIndex next, Value* mask) {
  Copies& copies = copies_[next];
  e_.b.CreateStore(mask, e_.saves.slot(kOffsetMask));
  if (!copies.suspend) {
    copies.suspend = e_.new_block("suspend");
    e_.b.CreateBr(copies.suspend);
    e_.b.SetInsertPoint(copies.suspend);
    if (e_.recorded() && e_.graph.yields) e_.services.serve({Service::suspended, e_.b.getInt32(kAllLanes), 0}, {});
    if (!e_.plan.shared()) e_.saves.save(e_.plan.saves.at_barrier[e_.block]);
    e_.b.CreateStore(e_.b.getInt32(copies.state), e_.saves.slot(kOffsetState));
    e_.b.CreateStore(e_.b.getTrue(), warps_waiting_);
    e_.b.CreateBr(e_.warp_next);
  } else {
    e_.b.CreateBr(copies.suspend);
  }
}

// Lanes may wait for different blocks, or none of them may be left.
void WarpFlow::suspend_all(const BitSet& waiting) {
  Value *any = e_.b.getInt32(0), *yielded = e_.b.getInt32(0);
  waiting.each([&](BlockIndex i) {
    Value* mask = e_.b.CreateLoad(e_.b.getInt32Ty(), copies_[i].waiting);
    any = e_.b.CreateOr(any, mask);
    if (e_.graph.blocks[i].after_yield) yielded = e_.b.CreateOr(yielded, mask);
  });
  BasicBlock *save = e_.new_block("suspend_all"), *done = e_.new_block("warp_done");
  e_.b.CreateCondBr(e_.b.CreateICmpNE(any, e_.b.getInt32(0)), save, done);
  e_.b.SetInsertPoint(done);
  finish_warp();
  e_.b.SetInsertPoint(save);
  check_meetings(waiting, e_.b.CreateICmpEQ(yielded, e_.b.getInt32(0)));
  BitSet live(e_.function.registers.size());
  e_.plan.together.each([&](BlockIndex i) {
    Value* mask = waiting.contains(i) ? static_cast<Value*>(e_.b.CreateLoad(e_.b.getInt32Ty(), copies_[i].waiting))
                                      : e_.b.getInt32(0);
    e_.b.CreateStore(mask, e_.saves.slot(kOffsetMasks + 4 * i));
    if (waiting.contains(i)) live.insert(e_.graph.live[i]);
  });
  if (e_.recorded() && e_.graph.yields)  // lanes that gave way wait for no barrier
    e_.services.serve(
        {Service::suspended, e_.b.CreateSelect(e_.b.CreateICmpEQ(yielded, e_.b.getInt32(0)), any, e_.b.getInt32(0)), 0},
        {});
  e_.saves.save(live);
  Value* state = e_.b.getInt32(kStateMany);
  if (e_.graph.yields) {
    Value* gave_way = e_.b.CreateICmpNE(yielded, e_.b.getInt32(0));
    state = e_.b.CreateSelect(gave_way, e_.b.getInt32(kStateYielded), state);
    Value* count = e_.b.CreateLoad(e_.b.getInt32Ty(), warps_yielded_);
    e_.b.CreateStore(e_.b.CreateOr(count, e_.b.CreateZExt(gave_way, e_.b.getInt32Ty())), warps_yielded_);
  }
  e_.b.CreateStore(state, e_.saves.slot(kOffsetState));
  e_.b.CreateStore(e_.b.getTrue(), warps_waiting_);
  e_.b.CreateBr(e_.warp_next);
}

// For --race: most threads come to a barrier where others wait already.
void WarpFlow::record_arrival(const FlowBlock& block) {
  const ptx::Instruction& instruction =
      e_.function.instructions[block.arrives == ptx::kNoIndex ? block.end - 1 : block.arrives];
  if (e_.graph.yields) {
    e_.services.call(Service::arrive, {}, e_.exec, instruction);
    return;
  }
  auto* known = e_.b.CreateLoad(e_.b.getInt32Ty(), e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), e_.context.view(),
                                                                                   offsetof(AccessView, barrier)));
  e_.cold_branch(
      e_.b.CreateICmpNE(known, e_.b.getInt32(e_.services.site(instruction) + 1)),
      [&] { e_.services.call(Service::arrive, {}, e_.exec, instruction); }, "first_to_arrive");
}

void WarpFlow::record_phase() {
  if (!e_.recorded() || e_.graph.yields) return;
  Value* before = std::exchange(e_.warp, e_.b.getInt32(0));
  e_.services.serve({Service::begin_phase, e_.b.getInt32(kAllLanes), 0}, {});
  e_.warp = before;
}

void WarpFlow::emit_resumes() {
  for (BlockIndex i : e_.graph.resumes) {
    Copies& copies = copies_[i];
    if (!copies.resume || !copies.resume->empty()) continue;
    e_.b.SetInsertPoint(copies.resume);
    if (e_.plan.shared()) {  // lanes that diverged have dispatch_
      e_.b.CreateBr(copies.converged);
      continue;
    }
    e_.saves.restore(e_.plan.saves.restored[i]);
    Value* mask = e_.b.CreateLoad(e_.b.getInt32Ty(), e_.saves.slot(kOffsetMask));
    e_.b.CreateStore(mask, copies.pending);
    BasicBlock* partial = e_.new_block("partial_warp");
    e_.b.CreateCondBr(e_.b.CreateICmpEQ(mask, e_.b.getInt32(kAllLanes)), copies.converged, partial,
                      mostly(e_.b.getContext()));
    e_.b.SetInsertPoint(partial);
    enter(i, BitSet(e_.graph.blocks.size()), BitSet(e_.graph.blocks.size()));
  }
  if (!many_) return;
  e_.b.SetInsertPoint(many_);
  if (e_.plan.shared()) {
    resume_shared(LaneQueue::Set::held);
    if (yielded_) {
      e_.b.SetInsertPoint(yielded_);
      resume_shared(LaneQueue::Set::gave);
    }
    return;
  }
  BitSet live(e_.function.registers.size());
  const BitSet released = e_.plan.released(e_.plan.together);
  released.each([&](BlockIndex i) {
    live.insert(e_.graph.live[i]);
    e_.b.CreateStore(e_.b.CreateLoad(e_.b.getInt32Ty(), e_.saves.slot(kOffsetMasks + 4 * i)), copies_[i].pending);
  });
  e_.saves.restore(live);
  if (released.empty())
    e_.b.CreateUnreachable();
  else
    run_first_of(released.members(), released, BitSet(e_.graph.blocks.size()));
  if (yielded_) emit_yielded_resume();
}

}  // namespace xcuda::device::cpu
