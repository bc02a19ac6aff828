// Barriers: a warp saves exactly the registers that are live, and is resumed when all have come.
#include <algorithm>

#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"

namespace xcuda::device::cpu {

using llvm::BasicBlock;

void Emitter::assign_slots() {
  save_offsets_.assign(function_.registers.size(), 0);
  if (!graph_.barriers()) return;
  std::uint32_t offset = offset_masks + 4 * static_cast<std::uint32_t>(graph_.blocks.size());
  const llvm::DataLayout& layout = into_.getDataLayout();
  auto place_form = [&](ptx::Register reg, std::uint32_t alignment) {
    offset = (offset + alignment - 1) / alignment * alignment;
    save_offsets_[reg] = offset;
  };
  plan_.saves.saved.each([&](ptx::Register reg) {
    const Form& form = plan_.forms[reg];
    llvm::Type* type = element(function_.registers[reg]);
    if (form.is_varying()) {
      place_form(reg, 64);
      offset += type->isIntegerTy(1) ? 4 : 32 * static_cast<std::uint32_t>(layout.getTypeStoreSize(type));
    } else {
      place_form(reg, 16);
      offset += 16 * form.groups * (form.kind == Form::Kind::delayed || form.is_permuted() ? 2 : 1);
    }
  });
  code_->save_bytes = (offset + 63) / 64 * 64;
}

llvm::Value* Emitter::save_slot(std::uint32_t offset) {
  return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), save_, offset);
}

void Emitter::save_registers(const BitSet& registers) {
  registers.each([&](ptx::Register reg) { save_register(reg); });
}

void Emitter::save_register(ptx::Register reg) {
  std::uint32_t offset = save_offsets_[reg];
  for (Value* slot : registers_[reg]) {
    llvm::Type* type = llvm::cast<llvm::AllocaInst>(slot)->getAllocatedType();
    Value* value = builder_.CreateLoad(type, slot);
    if (type->isVectorTy() && type->getScalarType()->isIntegerTy(1)) value = to_mask(value);
    builder_.CreateAlignedStore(value, save_slot(offset), llvm::Align(type->isVectorTy() ? 64 : 16));
    offset += 16;
  }
}

void Emitter::restore_registers(const BitSet& registers) {
  registers.each([&](ptx::Register reg) {
    std::uint32_t offset = save_offsets_[reg];
    for (Value* slot : registers_[reg]) {
      llvm::Type* type = llvm::cast<llvm::AllocaInst>(slot)->getAllocatedType();
      const llvm::Align alignment(type->isVectorTy() ? 64 : 16);
      if (type->isVectorTy() && type->getScalarType()->isIntegerTy(1))
        builder_.CreateStore(to_vector(builder_.CreateAlignedLoad(builder_.getInt32Ty(), save_slot(offset), alignment)),
                             slot);
      else
        builder_.CreateStore(builder_.CreateAlignedLoad(type, save_slot(offset), alignment), slot);
      offset += 16;
    }
  });
}

// All lanes of the warp that have not left wait for the same block, which one barrier is before.
void Emitter::suspend(BlockIndex next, Value* mask) {
  Copies& copies = copies_[next];
  builder_.CreateStore(mask, save_slot(offset_mask));
  if (!copies.suspend) {
    copies.suspend = new_block("suspend");
    builder_.CreateBr(copies.suspend);
    builder_.SetInsertPoint(copies.suspend);
    if (recorded() && graph_.yields) serve({Service::suspended, builder_.getInt32(all_lanes), 0}, {});
    save_registers(plan_.saves.at_barrier[block_]);
    builder_.CreateStore(builder_.getInt32(copies.state), save_slot(offset_state));
    builder_.CreateStore(builder_.getTrue(), warps_waiting_);
    builder_.CreateBr(warp_next_);
  } else {
    builder_.CreateBr(copies.suspend);
  }
}

// Lanes may wait for different blocks, or none of them may be left.
void Emitter::suspend_all(const BitSet& waiting) {
  Value *any = builder_.getInt32(0), *yielded = builder_.getInt32(0);
  waiting.each([&](BlockIndex i) {
    Value* mask = builder_.CreateLoad(builder_.getInt32Ty(), copies_[i].waiting);
    any = builder_.CreateOr(any, mask);
    if (graph_.blocks[i].behind_yield) yielded = builder_.CreateOr(yielded, mask);
  });
  BasicBlock *save = new_block("suspend_all"), *done = new_block("warp_done");
  builder_.CreateCondBr(builder_.CreateICmpNE(any, builder_.getInt32(0)), save, done);
  builder_.SetInsertPoint(done);
  finish_warp();
  builder_.SetInsertPoint(save);
  check_meetings(waiting, builder_.CreateICmpEQ(yielded, builder_.getInt32(0)));
  BitSet live(function_.registers.size());
  plan_.together.each([&](BlockIndex i) {
    Value* mask = waiting.contains(i)
                      ? static_cast<Value*>(builder_.CreateLoad(builder_.getInt32Ty(), copies_[i].waiting))
                      : builder_.getInt32(0);
    builder_.CreateStore(mask, save_slot(offset_masks + 4 * i));
    if (waiting.contains(i)) live.insert(graph_.live[i]);
  });
  if (recorded() && graph_.yields)  // lanes that gave way wait for no barrier
    serve({Service::suspended,
           builder_.CreateSelect(builder_.CreateICmpEQ(yielded, builder_.getInt32(0)), any, builder_.getInt32(0)), 0},
          {});
  save_registers(live);
  Value* state = builder_.getInt32(state_many);
  if (graph_.yields) {
    Value* gave_way = builder_.CreateICmpNE(yielded, builder_.getInt32(0));
    state = builder_.CreateSelect(gave_way, builder_.getInt32(state_yielded), state);
    Value* count = builder_.CreateLoad(builder_.getInt32Ty(), warps_yielded_);
    builder_.CreateStore(builder_.CreateOr(count, builder_.CreateZExt(gave_way, builder_.getInt32Ty())),
                         warps_yielded_);
  }
  builder_.CreateStore(state, save_slot(offset_state));
  builder_.CreateStore(builder_.getTrue(), warps_waiting_);
  builder_.CreateBr(warp_next_);
}

// For --race: most threads come to a barrier where others wait already.
void Emitter::record_arrival(const ptx::Instruction& instruction) {
  if (graph_.yields) {
    call_service(Service::arrive, {}, exec_, instruction);
    return;
  }
  auto* known = builder_.CreateLoad(
      builder_.getInt32Ty(),
      builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), view(), offsetof(AccessView, barrier)));
  cold_branch(
      builder_.CreateICmpNE(known, builder_.getInt32(site(instruction) + 1)),
      [&] { call_service(Service::arrive, {}, exec_, instruction); }, "first_to_arrive");
}

void Emitter::record_phase() {
  if (!recorded() || graph_.yields) return;
  Value* before = std::exchange(warp_, builder_.getInt32(0));
  serve({Service::begin_phase, builder_.getInt32(all_lanes), 0}, {});
  warp_ = before;
}

void Emitter::emit_resumes() {
  for (BlockIndex i : graph_.resumes) {
    Copies& copies = copies_[i];
    if (!copies.resume || !copies.resume->empty()) continue;
    builder_.SetInsertPoint(copies.resume);
    restore_registers(graph_.live[i]);
    Value* mask = builder_.CreateLoad(builder_.getInt32Ty(), save_slot(offset_mask));
    builder_.CreateStore(mask, copies.pending);
    BasicBlock* partial = new_block("partial_warp");
    builder_.CreateCondBr(builder_.CreateICmpEQ(mask, builder_.getInt32(all_lanes)), copies.converged, partial,
                          mostly(builder_.getContext()));
    builder_.SetInsertPoint(partial);
    enter(i, BitSet(graph_.blocks.size()), BitSet(graph_.blocks.size()));
  }
  if (!many_) return;
  builder_.SetInsertPoint(many_);
  BitSet live(function_.registers.size());
  const BitSet released = plan_.released(plan_.together);
  released.each([&](BlockIndex i) {
    live.insert(graph_.live[i]);
    builder_.CreateStore(builder_.CreateLoad(builder_.getInt32Ty(), save_slot(offset_masks + 4 * i)),
                         copies_[i].pending);
  });
  restore_registers(live);
  if (released.empty())
    builder_.CreateUnreachable();
  else
    run_first_of(released.members(), released, BitSet(graph_.blocks.size()));
  if (yielded_) emit_yielded_resume();
}

}  // namespace xcuda::device::cpu
