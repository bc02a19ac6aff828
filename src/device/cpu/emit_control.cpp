// The skeleton of a kernel: loops over blocks and warps, the two clones of each basic block, the order in which lanes
// that diverged run, and barriers, where a warp saves exactly the registers that are live and is resumed later.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "device/cpu/emitter.hpp"
#include "ptx/control_flow.hpp"

namespace xcuda::device::cpu {

using llvm::BasicBlock;

namespace {

constexpr std::uint32_t state_done = 0xffff'ffff;
constexpr std::uint32_t state_many = 0xffff'fffe;  // lanes of the warp wait for different blocks
constexpr std::uint32_t state_yielded = 0xffff'fffd;  // some of them gave way
constexpr std::uint32_t offset_state = 0, offset_mask = 4, offset_masks = 8;  // in the save area of a warp
constexpr std::uint32_t all_lanes = 0xffff'ffff;

llvm::MDNode* mostly(llvm::LLVMContext& context) { return llvm::MDBuilder(context).createBranchWeights(2000, 1); }

}  // namespace

BasicBlock* Emitter::new_block(const char* name) { return BasicBlock::Create(builder_.getContext(), name, kernel_); }

void Emitter::emit(KernelCode& code) {
  code_ = &code;
  find_argument_memory();
  shared_ = shared_layout(module_, function_);
  code.static_shared = shared_.bytes;
  code.shared_variables = shared_variables(module_, function_);
  group_of_ = find_check_groups(graph_, check_groups_);
  assign_slots();
  code.local_bytes = plan_.local_bytes;
  code.yields = graph_.yields;
  make_skeleton();
  emit_blocks();
  emit_resumes();
}

void Emitter::emit_blocks() {
  for (BlockIndex i = 0; i < graph_.blocks.size(); ++i)
    if (plan_.reached[i]) {
      emit_clone(i, Clone::converged);
      emit_clone(i, Clone::divergent);
    }
}

llvm::Function* Emitter::add_attributes(llvm::Function* function) {
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr("prefer-vector-width", features_.avx512 ? "512" : "256");
  if (features_.avx512) function->addFnAttr("min-legal-vector-width", "512");
  return function;
}

void Emitter::make_skeleton() {
  auto* pointer = builder_.getPtrTy();
  auto* i32 = builder_.getInt32Ty();
  auto* type = llvm::FunctionType::get(i32, {pointer, i32, i32}, false);
  kernel_ = add_attributes(llvm::Function::Create(type, llvm::Function::ExternalLinkage, "kernel", into_));
  frame_ = kernel_->getArg(0);
  frame_->setName("frame");
  if (lines_) lines_->begin(kernel_);

  entry_ = new_block("entry");
  block_head_ = new_block("block");
  BasicBlock *block_test = new_block("next_block"), *finished = new_block("finished"), *block_next = new_block("block_done");
  warp_head_ = new_block("warp");
  warp_next_ = new_block("next_warp");
  left_ = new_block("left");

  builder_.SetInsertPoint(entry_);
  Value* x_slot = builder_.CreateAlloca(i32, nullptr, "x");
  Value* warp_slot = builder_.CreateAlloca(i32, nullptr, "warp_index");
  Value* fresh_slot = builder_.CreateAlloca(builder_.getInt1Ty(), nullptr, "fresh");
  warps_waiting_ = builder_.CreateAlloca(builder_.getInt1Ty(), nullptr, "warps_waiting");
  make_registers();
  launch_ = frame_pointer(offsetof(BlockFrame, launch));
  builder_.CreateStore(kernel_->getArg(1), x_slot);
  builder_.CreateBr(block_test);
  Value* warps = launch_word(offsetof(Launch, warps), i32);
  Value* last_mask = launch_word(offsetof(Launch, last_mask), i32);

  builder_.SetInsertPoint(block_test);
  block_x_ = builder_.CreateLoad(i32, x_slot, "block_x");
  builder_.CreateCondBr(builder_.CreateICmpULT(block_x_, kernel_->getArg(2)), block_head_, finished);
  builder_.SetInsertPoint(finished);
  builder_.CreateRet(builder_.getInt32(static_cast<std::uint32_t>(Outcome::finished)));
  builder_.SetInsertPoint(left_);
  builder_.CreateRet(builder_.getInt32(static_cast<std::uint32_t>(Outcome::left)));

  builder_.SetInsertPoint(block_head_);
  builder_.CreateStore(block_x_, builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), frame_, offsetof(BlockFrame, block_index)));
  builder_.CreateStore(builder_.getInt32(0), warp_slot);
  Value* fresh_start = builder_.getTrue();
  if (graph_.yields) {
    warps_yielded_ = scratch(i32, "warps_yielded");  // in rounds
    turns_ = scratch(i32, "turns");
    release_ = scratch(builder_.getInt1Ty(), "release");
    builder_.CreateStore(builder_.getInt32(0), warps_yielded_);
    builder_.CreateStore(builder_.getInt32(0), turns_);
    builder_.CreateStore(builder_.getFalse(), release_);
    auto* resumed = builder_.CreateAlignedLoad(i32, builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), frame_, offsetof(BlockFrame, resume)), llvm::Align(4));
    fresh_start = builder_.CreateICmpEQ(resumed, builder_.getInt32(0));
    builder_.CreateAlignedStore(builder_.getInt32(0), resumed->getPointerOperand(), llvm::Align(4));
  }
  builder_.CreateStore(fresh_start, fresh_slot);
  builder_.CreateStore(builder_.getFalse(), warps_waiting_);
  if (reduces()) {
    BasicBlock *clear = new_block("clear_votes"), *cleared = new_block("votes_cleared");
    builder_.CreateCondBr(fresh_start, clear, cleared);
    builder_.SetInsertPoint(clear);
    for (std::size_t i = 0; i < 2; ++i) builder_.CreateStore(builder_.getInt32(0), votes(i));
    builder_.CreateBr(cleared);
    builder_.SetInsertPoint(cleared);
  }
  builder_.CreateBr(warp_head_);

  builder_.SetInsertPoint(warp_next_);
  Value* next = builder_.CreateAdd(builder_.CreateLoad(i32, warp_slot), builder_.getInt32(1));
  builder_.CreateStore(next, warp_slot);
  BasicBlock* round = graph_.barriers() ? new_block("round") : block_next;
  builder_.CreateCondBr(builder_.CreateICmpULT(next, warps), warp_head_, round);
  if (graph_.barriers()) {  // all warps have come to a barrier or left: those that wait go on
    builder_.SetInsertPoint(round);
    Value* again = builder_.CreateLoad(builder_.getInt1Ty(), warps_waiting_);
    builder_.CreateStore(builder_.getInt32(0), warp_slot);
    builder_.CreateStore(builder_.getFalse(), fresh_slot);
    builder_.CreateStore(builder_.getFalse(), warps_waiting_);
    if (graph_.yields) again = end_round(again);
    if (reduces()) {
      Value* release = graph_.yields ? static_cast<Value*>(builder_.CreateLoad(builder_.getInt1Ty(), release_)) : builder_.getTrue();
      for (std::size_t i = 0; i < 2; ++i) {  // what arrived is the result until the next barrier
        Value* arrived = builder_.CreateLoad(i32, votes(i));
        builder_.CreateStore(builder_.CreateSelect(release, arrived, builder_.CreateLoad(i32, votes(2 + i))), votes(2 + i));
        builder_.CreateStore(builder_.CreateSelect(release, builder_.getInt32(0), arrived), votes(i));
      }
    }
    builder_.CreateCondBr(again, warp_head_, block_next);
  }
  builder_.SetInsertPoint(block_next);
  builder_.CreateStore(builder_.CreateAdd(block_x_, builder_.getInt32(1)), x_slot);
  builder_.CreateBr(block_test);

  builder_.SetInsertPoint(warp_head_);
  warp_ = builder_.CreateLoad(i32, warp_slot, "warp");
  BasicBlock* start = new_block("start");
  copies_.resize(graph_.blocks.size());
  for (BlockIndex i = 0; i < graph_.blocks.size(); ++i) {
    if (!plan_.reached[i]) continue;
    copies_[i].converged = new_block("converged");
    copies_[i].divergent = new_block("divergent");
    copies_[i].pending = scratch(i32, "pending");
  }
  if (graph_.barriers()) {
    Value* saves = at_entry([&](auto& b) {
      return b.CreateAlignedLoad(pointer, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame_, offsetof(BlockFrame, saves)), llvm::Align(8));
    });
    save_ = builder_.CreateInBoundsGEP(builder_.getInt8Ty(), saves,
                                       builder_.CreateMul(builder_.CreateZExt(warp_, builder_.getInt64Ty()), builder_.getInt64(code_->save_bytes)));
    Value* fresh = builder_.CreateLoad(builder_.getInt1Ty(), fresh_slot);
    Value* state = builder_.CreateSelect(fresh, builder_.getInt32(0), builder_.CreateLoad(i32, save_slot(offset_state)));
    if (graph_.yields) {  // warps that are at a barrier stay there until it is complete
      BasicBlock *held = new_block("held"), *go = new_block("go");
      Value* at_barrier = builder_.CreateAnd(builder_.CreateICmpULT(state, builder_.getInt32(state_yielded)), builder_.CreateICmpNE(state, builder_.getInt32(0)));
      at_barrier = builder_.CreateOr(at_barrier, builder_.CreateICmpEQ(state, builder_.getInt32(state_many)));
      builder_.CreateCondBr(builder_.CreateAnd(at_barrier, builder_.CreateNot(builder_.CreateLoad(builder_.getInt1Ty(), release_))), held, go);
      builder_.SetInsertPoint(held);
      builder_.CreateStore(builder_.getTrue(), warps_waiting_);
      builder_.CreateBr(warp_next_);
      builder_.SetInsertPoint(go);
    }
    auto* dispatch = builder_.CreateSwitch(state, start);
    dispatch->addCase(builder_.getInt32(state_done), warp_next_);
    std::uint32_t number = 0;
    for (BlockIndex i : graph_.resumes) {
      if (!plan_.reached[i] || copies_[i].resume) continue;
      copies_[i].resume = new_block("resume");
      copies_[i].waiting = scratch(i32, "waiting");
      copies_[i].state = ++number;
      dispatch->addCase(builder_.getInt32(number), copies_[i].resume);
    }
    if (!plan_.together.empty()) {
      many_ = new_block("resume_many");
      dispatch->addCase(builder_.getInt32(state_many), many_);
      if (graph_.yields) {
        yielded_ = new_block("resume_yielded");
        dispatch->addCase(builder_.getInt32(state_yielded), yielded_);
      }
    }
  } else {
    builder_.CreateBr(start);
  }

  builder_.SetInsertPoint(start);
  Value* last = builder_.CreateICmpEQ(builder_.CreateAdd(warp_, builder_.getInt32(1)), warps);
  start_lanes(builder_.CreateSelect(last, last_mask, builder_.getInt32(all_lanes)));
}

// Begins at the first block.
void Emitter::start_lanes(Value* mask) {
  llvm::LLVMContext& context = builder_.getContext();
  graph_.live[0].each([&](ptx::Register reg) {  // read before written: nothing is promised, but it must be some value
    for (Value* slot : registers_[reg])
      builder_.CreateStore(llvm::Constant::getNullValue(llvm::cast<llvm::AllocaInst>(slot)->getAllocatedType()), slot);
  });
  builder_.CreateStore(mask, copies_[0].pending);
  BasicBlock* partial = new_block("partial_warp");
  builder_.CreateCondBr(builder_.CreateICmpEQ(mask, builder_.getInt32(all_lanes)), copies_[0].converged, partial, mostly(context));
  builder_.SetInsertPoint(partial);
  enter(0, BitSet(graph_.blocks.size()), BitSet(graph_.blocks.size()));
}

void Emitter::make_registers() {
  registers_.resize(function_.registers.size());
  for (ptx::Register reg = 0; reg < registers_.size(); ++reg) {
    const Form& form = plan_.forms[reg];
    llvm::Type* type = element(function_.registers[reg]);
    auto& slots = registers_[reg];
    if (form.is_varying()) {
      slots.push_back(builder_.CreateAlloca(lanes(type)));
    } else {
      for (int group = 0; group < form.groups; ++group) slots.push_back(builder_.CreateAlloca(type));
      if (form.kind == Form::Kind::delayed)
        for (int group = 0; group < form.groups; ++group) slots.push_back(builder_.CreateAlloca(builder_.getInt32Ty()));
    }
  }
}

void Emitter::emit_clone(BlockIndex index, Clone clone) {
  const Block& block = graph_.blocks[index];
  Copies& copies = copies_[index];
  clone_ = clone;
  block_ = index;
  exec_vector_ = nullptr;
  builder_.SetInsertPoint(clone == Clone::converged ? copies.converged : copies.divergent);
  if (clone == Clone::converged) {
    exec_ = builder_.getInt32(all_lanes);
  } else {
    exec_ = builder_.CreateLoad(builder_.getInt32Ty(), copies.pending, "exec");
    if (plan_.pending[index].empty() && plan_.waiting[index].empty()) {  // all lanes may have met again
      BasicBlock* body = new_block("divergent_body");
      builder_.CreateCondBr(builder_.CreateICmpEQ(exec_, builder_.getInt32(all_lanes)), copies.converged, body);
      builder_.SetInsertPoint(body);
    }
  }
  ptx::Index end = block.end;
  if (end > block.begin && block.arrives == ptx::none && (block.ends != Block::End::next || function_.instructions[end - 1].opcode == ptx::Opcode::bra) &&
      !(block.ends == Block::End::leave && function_.instructions[end - 1].opcode != ptx::Opcode::ret &&
        function_.instructions[end - 1].opcode != ptx::Opcode::exit))
    --end;  // the last instruction is control
  for (ptx::Index i = block.begin; i < end; ++i) emit_instruction(function_.instructions[i]);
  instruction_ = nullptr;
  guarded_ = false;
  if (block.end > block.begin) mark(function_.instructions[block.end - 1], clone == Clone::converged ? CodePart::all_lanes : CodePart::some_lanes);
  if (block.arrives != ptx::none) arrive(function_.instructions[block.arrives]);
  if (clone == Clone::converged) end_converged(block);
  else end_divergent(index, block);
  builder_.SetCurrentDebugLocation({});
}

// What is emitted from here on is for this instruction.
void Emitter::mark(const ptx::Instruction& instruction, CodePart part) {
  if (lines_) builder_.SetCurrentDebugLocation(lines_->at(place(instruction), part));
}

void Emitter::emit_instruction(const ptx::Instruction& instruction) {
  const Family family = family_of(instruction.opcode);
  if (!family) unsupported(instruction);
  instruction_ = &instruction;
  guarded_ = instruction.guarded();
  mark(instruction, converged() ? CodePart::all_lanes : CodePart::some_lanes);
  if (recorded()) record_order(*this, instruction);
  family(*this, instruction);
  instruction_ = nullptr;
  guarded_ = false;
}

// --- The ends of blocks --------------------------------------------------------------------------------------------

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
    case Block::End::next: builder_.CreateBr(target(block.next)); break;
    case Block::End::leave: finish_warp(); break;
    case Block::End::barrier:
      if (recorded()) call_service(Service::arrive, {}, exec_, function_.instructions[block.end - 1]);
      if (block.next == no_block) finish_warp();
      else suspend(block.next, builder_.getInt32(all_lanes));
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
  if (plan_.pending[from].contains(to)) mask = builder_.CreateOr(mask, builder_.CreateLoad(builder_.getInt32Ty(), copies_[to].pending));
  builder_.CreateStore(mask, copies_[to].pending);
}

void Emitter::end_divergent(BlockIndex index, const Block& block) {
  const BitSet &pending = plan_.pending[index], &waiting = plan_.waiting[index];
  // All lanes that run go to one block.
  auto go = [&](BlockIndex to) {
    if (to == no_block) return run_first_or_wait(pending, waiting);
    add_pending(index, to, exec_);
    std::vector<BlockIndex> candidates = pending.members();
    candidates.erase(std::remove_if(candidates.begin(), candidates.end(), [&](BlockIndex c) { return c >= to; }), candidates.end());
    candidates.push_back(to);  // holds lanes, so that none behind it is asked
    BitSet held = pending;
    held.insert(to);
    run_first_of(candidates, held, waiting);
  };
  switch (block.ends) {
    case Block::End::next: go(block.next); break;
    case Block::End::leave: run_first_or_wait(pending, waiting); break;
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
      if (recorded()) call_service(Service::arrive, {}, exec_, function_.instructions[block.end - 1]);
      if (block.next == no_block) {
        run_first_or_wait(pending, waiting);
        break;
      }
      if (pending.empty() && waiting.empty()) {
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
        run_first_or_wait(held, waiting);
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
  if (waiting.empty()) finish_warp();
  else suspend_all(waiting);
}

void Emitter::finish_warp() {
  if (graph_.barriers()) builder_.CreateStore(builder_.getInt32(state_done), save_slot(offset_state));
  builder_.CreateBr(warp_next_);
}

// --- Barriers ------------------------------------------------------------------------------------------------------

void Emitter::assign_slots() {
  save_offsets_.assign(function_.registers.size(), 0);
  if (!graph_.barriers()) return;
  std::uint32_t offset = offset_masks + 4 * static_cast<std::uint32_t>(graph_.blocks.size());
  const llvm::DataLayout& layout = into_.getDataLayout();
  auto place_form = [&](ptx::Register reg, std::uint32_t alignment) {
    offset = (offset + alignment - 1) / alignment * alignment;
    save_offsets_[reg] = offset;
  };
  saves_.saved.each([&](ptx::Register reg) {
    const Form& form = plan_.forms[reg];
    llvm::Type* type = element(function_.registers[reg]);
    if (form.is_varying()) {
      place_form(reg, 64);
      offset += type->isIntegerTy(1) ? 4 : 32 * static_cast<std::uint32_t>(layout.getTypeStoreSize(type));
    } else {
      place_form(reg, 16);
      offset += 16 * form.groups * (form.kind == Form::Kind::delayed ? 2 : 1);
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
        builder_.CreateStore(to_vector(builder_.CreateAlignedLoad(builder_.getInt32Ty(), save_slot(offset), alignment)), slot);
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
    if (recorded()) serve({Service::suspended, builder_.getInt32(all_lanes), 0}, {});
    save_registers(saves_.at_barrier[block_]);
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
  BitSet live(function_.registers.size());
  plan_.together.each([&](BlockIndex i) {
    Value* mask = waiting.contains(i) ? static_cast<Value*>(builder_.CreateLoad(builder_.getInt32Ty(), copies_[i].waiting)) : builder_.getInt32(0);
    any = builder_.CreateOr(any, mask);
    if (graph_.blocks[i].behind_yield) yielded = builder_.CreateOr(yielded, mask);
    builder_.CreateStore(mask, save_slot(offset_masks + 4 * i));
    if (waiting.contains(i)) live.insert(graph_.live[i]);
  });
  BasicBlock *save = new_block("suspend_all"), *done = new_block("warp_done");
  builder_.CreateCondBr(builder_.CreateICmpNE(any, builder_.getInt32(0)), save, done);
  builder_.SetInsertPoint(done);
  finish_warp();
  builder_.SetInsertPoint(save);
  if (recorded())  // lanes that gave way wait for no barrier
    serve({Service::suspended, builder_.CreateSelect(builder_.CreateICmpEQ(yielded, builder_.getInt32(0)), any, builder_.getInt32(0)), 0}, {});
  save_registers(live);
  Value* state = builder_.getInt32(state_many);
  if (graph_.yields) {
    Value* gave_way = builder_.CreateICmpNE(yielded, builder_.getInt32(0));
    state = builder_.CreateSelect(gave_way, builder_.getInt32(state_yielded), state);
    Value* count = builder_.CreateLoad(builder_.getInt32Ty(), warps_yielded_);
    builder_.CreateStore(builder_.CreateOr(count, builder_.CreateZExt(gave_way, builder_.getInt32Ty())), warps_yielded_);
  }
  builder_.CreateStore(state, save_slot(offset_state));
  builder_.CreateStore(builder_.getTrue(), warps_waiting_);
  builder_.CreateBr(warp_next_);
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
    builder_.CreateCondBr(builder_.CreateICmpEQ(mask, builder_.getInt32(all_lanes)), copies.converged, partial, mostly(builder_.getContext()));
    builder_.SetInsertPoint(partial);
    enter(i, BitSet(graph_.blocks.size()), BitSet(graph_.blocks.size()));
  }
  if (!many_) return;
  builder_.SetInsertPoint(many_);
  BitSet live(function_.registers.size());
  plan_.together.each([&](BlockIndex i) {
    live.insert(graph_.live[i]);
    builder_.CreateStore(builder_.CreateLoad(builder_.getInt32Ty(), save_slot(offset_masks + 4 * i)), copies_[i].pending);
  });
  restore_registers(live);
  run_first_of(plan_.together.members(), plan_.together, BitSet(graph_.blocks.size()));
  if (yielded_) emit_yielded_resume();
}

}  // namespace xcuda::device::cpu
