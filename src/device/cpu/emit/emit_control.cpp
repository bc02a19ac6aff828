// The skeleton of a kernel: loops over blocks and warps, and the two clones of each basic block. How they end is in
// emit_branch.cpp, what a warp does at a barrier in emit_barrier.cpp.
#include <algorithm>

#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"
#include "device/cpu/lower/accepted.hpp"
#include "ptx/control_flow.hpp"

namespace xcuda::device::cpu {

using llvm::BasicBlock;

BasicBlock* Emitter::new_block(const char* name) { return BasicBlock::Create(builder_.getContext(), name, kernel_); }

void Emitter::emit(KernelCode& code) {
  code_ = &code;
  find_argument_memory();
  shared_ = shared_layout(module_, function_);
  code.static_shared = shared_.bytes;
  code.shared_variables = shared_variables(module_, function_);
  assign_slots();
  code.local_bytes = plan_.local.bytes;
  code.yields = graph_.yields;
  code.waits_for = graph_.yields ? graph_.waits_for : WaitsFor::anything;
  make_skeleton();
  emit_blocks();
  emit_resumes();
  if (code.waits_for != WaitsFor::anything) find_wait_sites();
}

// For the message when all threads of a block wait for ever.
void Emitter::find_wait_sites() {
  code_->wait_sites.assign(graph_.blocks.size(), all_lanes);
  for (const Block& block : graph_.blocks) {
    if (block.behind_yield)
      code_->wait_sites[static_cast<std::size_t>(&block - graph_.blocks.data())] =
          site(function_.instructions[block.listens]);
    const bool barrier = block.ends == Block::End::barrier;
    if (block.next == no_block || (!barrier && block.ends != Block::End::meet)) continue;
    const ptx::Index waits = !barrier ? block.end : block.arrives != ptx::none ? block.arrives : block.end - 1;
    code_->wait_sites[block.next] = site(function_.instructions[waits]);
  }
  code_->barrier_sites.push_back(all_lanes);  // states count from 1
  for (const BlockIndex i : graph_.resumes)
    if (copies_[i].state == code_->barrier_sites.size()) code_->barrier_sites.push_back(code_->wait_sites[i]);
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
  BasicBlock *block_test = new_block("next_block"), *finished = new_block("finished"),
             *block_next = new_block("block_done");
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
  builder_.CreateStore(
      block_x_, builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), frame_, offsetof(BlockFrame, block_index)));
  builder_.CreateStore(builder_.getInt32(0), warp_slot);
  Value* fresh_start = builder_.getTrue();
  if (graph_.yields) {
    warps_yielded_ = scratch(i32, "warps_yielded");  // in rounds
    turns_ = scratch(i32, "turns");
    release_ = scratch(builder_.getInt1Ty(), "release");
    builder_.CreateStore(builder_.getInt32(0), warps_yielded_);
    builder_.CreateStore(builder_.getInt32(0), turns_);
    builder_.CreateStore(builder_.getFalse(), release_);
    auto* resumed = builder_.CreateAlignedLoad(
        i32, builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), frame_, offsetof(BlockFrame, resume)),
        llvm::Align(4));
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
  record_phase();
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
      Value* release =
          graph_.yields ? static_cast<Value*>(builder_.CreateLoad(builder_.getInt1Ty(), release_)) : builder_.getTrue();
      for (std::size_t i = 0; i < 2; ++i) {  // what arrived is the result until the next barrier
        Value* arrived = builder_.CreateLoad(i32, votes(i));
        builder_.CreateStore(builder_.CreateSelect(release, arrived, builder_.CreateLoad(i32, votes(2 + i))),
                             votes(2 + i));
        builder_.CreateStore(builder_.CreateSelect(release, builder_.getInt32(0), arrived), votes(i));
      }
    }
    BasicBlock* go_on = new_block("next_round");
    builder_.CreateCondBr(again, go_on, block_next);
    builder_.SetInsertPoint(go_on);
    record_phase();
    builder_.CreateBr(warp_head_);
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
    if (graph_.meetings.contains(i)) copies_[i].waiting = scratch(i32, "waiting");
  }
  if (graph_.barriers()) {
    Value* saves = at_entry([&](auto& b) {
      return b.CreateAlignedLoad(
          pointer, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame_, offsetof(BlockFrame, saves)), llvm::Align(8));
    });
    save_ = builder_.CreateInBoundsGEP(
        builder_.getInt8Ty(), saves,
        builder_.CreateMul(builder_.CreateZExt(warp_, builder_.getInt64Ty()), builder_.getInt64(code_->save_bytes)));
    Value* fresh = builder_.CreateLoad(builder_.getInt1Ty(), fresh_slot);
    Value* state =
        builder_.CreateSelect(fresh, builder_.getInt32(0), builder_.CreateLoad(i32, save_slot(offset_state)));
    if (graph_.yields) {  // warps that are at a barrier stay there until it is complete
      BasicBlock *held = new_block("held"), *go = new_block("go");
      Value* at_barrier = builder_.CreateAnd(builder_.CreateICmpULT(state, builder_.getInt32(state_yielded)),
                                             builder_.CreateICmpNE(state, builder_.getInt32(0)));
      at_barrier = builder_.CreateOr(at_barrier, builder_.CreateICmpEQ(state, builder_.getInt32(state_many)));
      builder_.CreateCondBr(
          builder_.CreateAnd(at_barrier, builder_.CreateNot(builder_.CreateLoad(builder_.getInt1Ty(), release_))), held,
          go);
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
      if (!copies_[i].waiting) copies_[i].waiting = scratch(i32, "waiting");
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
  if (plan_.shape.full_warps) return start_lanes(builder_.getInt32(all_lanes));
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
  builder_.CreateCondBr(builder_.CreateICmpEQ(mask, builder_.getInt32(all_lanes)), copies_[0].converged, partial,
                        mostly(context));
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
      if (form.is_permuted()) slots.push_back(builder_.CreateAlloca(builder_.getInt32Ty()));
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
  const LaneLoop* loop = plan_.lane_loop_at(index);
  const bool always = loop != nullptr && loop->always();
  if (clone == Clone::converged) {
    exec_ = builder_.getInt32(all_lanes);
    if (always) {
      builder_.CreateStore(exec_, copies.pending);
      return enter(index, BitSet(graph_.blocks.size()), BitSet(graph_.blocks.size()));
    }
  } else {
    exec_ = builder_.CreateLoad(builder_.getInt32Ty(), copies.pending, "exec");
    if (always) return emit_lane_loop(*loop);
    if (plan_.pending[index].empty() && plan_.waiting[index].empty()) {  // all lanes may have met again
      BasicBlock* body = new_block("divergent_body");
      builder_.CreateCondBr(builder_.CreateICmpEQ(exec_, builder_.getInt32(all_lanes)), copies.converged, body);
      builder_.SetInsertPoint(body);
    }
    if (loop != nullptr) {
      BasicBlock *few = new_block("few_lanes"), *many = new_block("many_lanes");
      Value* count = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, exec_);
      builder_.CreateCondBr(builder_.CreateICmpULE(count, builder_.getInt32(static_cast<std::uint32_t>(loop->most))),
                            few, many);
      builder_.SetInsertPoint(few);
      emit_lane_loop(*loop);
      builder_.SetInsertPoint(many);
    }
  }
  emit_body(block);
  if (block.arrives != ptx::none) arrive(function_.instructions[block.arrives]);
  if (clone == Clone::converged)
    end_converged(block);
  else
    end_divergent(index, block);
  builder_.SetCurrentDebugLocation({});
}

// All but the jump at the end.
void Emitter::emit_body(const Block& block) {
  ptx::Index end = block.end;
  if (end > block.begin && block.arrives == ptx::none && block.ends != Block::End::meet &&
      (block.ends != Block::End::next || function_.instructions[end - 1].is(ptx::Trait::branches)) &&
      !(block.ends == Block::End::leave && !function_.instructions[end - 1].is(ptx::Trait::leaves)))
    --end;  // the last instruction is control
  for (ptx::Index i = block.begin; i < end; ++i) emit_instruction(function_.instructions[i]);
  instruction_ = nullptr;
  guarded_ = false;
  if (block.end > block.begin) mark(function_.instructions[block.end - 1], part());
}

CodePart Emitter::part() const {
  switch (clone_) {
    case Clone::converged: return CodePart::all_lanes;
    case Clone::divergent: return CodePart::some_lanes;
    case Clone::lane: return CodePart::one_lane;
  }
  return CodePart::none;
}

// What is emitted from here on is for this instruction.
void Emitter::mark(const ptx::Instruction& instruction, CodePart part) {
  if (lines_) builder_.SetCurrentDebugLocation(lines_->at(place(instruction), part));
}

void Emitter::emit_instruction(const ptx::Instruction& instruction) {
  const Family family = family_of(instruction.opcode);
  if (!family) unsupported(instruction);
  if (const auto why = refusal(instruction)) unsupported(instruction, *why);
  instruction_ = &instruction;
  guarded_ = instruction.guarded();
  mark(instruction, part());
  if (recorded()) record_order(*this, instruction);
  family(*this, instruction);
  instruction_ = nullptr;
  guarded_ = false;
}

}  // namespace xcuda::device::cpu
