#include "device/cpu/emit/emitter.hpp"

#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"
#include "ptx/source_places.hpp"

namespace xcuda::device::cpu {

using llvm::BasicBlock;

namespace {

llvm::MDNode* rarely(llvm::LLVMContext& context) { return llvm::MDBuilder(context).createBranchWeights(1, 2000); }

}  // namespace

// Builds before the end of a block that dominates what follows.
llvm::IRBuilder<> before_end(llvm::BasicBlock* block) {
  if (llvm::Instruction* end = block->getTerminator()) return llvm::IRBuilder<>(end);
  return llvm::IRBuilder<>(block);
}

void Emitter::emit() {
  code.static_shared = context.static_shared();
  code.tile_words = context.tile_words();
  code.shared_variables = shared_variables(module, function);
  code.local_bytes = plan.local.bytes;
  code.yields = graph.yields;
  code.dispatch = plan.dispatch;
  code.waits_for = graph.yields ? graph.waits_for : WaitsFor::anything;
  saves.assign_slots();
  flow.emit_kernel();
}

void Emitter::emit_function(llvm::Function* declared) {
  saves.assign_slots();
  flow.emit_function(declared);
}

BasicBlock* Emitter::new_block(const char* name) { return BasicBlock::Create(b.getContext(), name, kernel); }

Value* Emitter::at_entry(const std::function<Value*(llvm::IRBuilder<>&)>& make) {
  llvm::IRBuilder<> b = before_end(entry);
  return make(b);
}

llvm::BranchInst* Emitter::cold_branch(Value* condition, const std::function<void()>& body, const char* name) {
  BasicBlock *cold = new_block(name), *on = new_block("on");
  llvm::BranchInst* branch = b.CreateCondBr(condition, cold, on, rarely(b.getContext()));
  b.SetInsertPoint(cold);
  const llvm::DebugLoc before = b.getCurrentDebugLocation();
  if (lines && instruction) mark(*instruction, CodePart::check);
  body();
  b.SetCurrentDebugLocation(before);
  if (!b.GetInsertBlock()->getTerminator()) b.CreateBr(on);
  b.SetInsertPoint(on);
  return branch;
}

void Emitter::leave_kernel() { b.CreateBr(left); }

Place Emitter::place(const ptx::Instruction& instruction) const {
  return ptx::place_of(module, function, index_of(instruction));
}

void Emitter::not_refused(const ptx::Instruction& instruction) const {
  Error error(ErrorKind::internal, "the CPU device has no code for `" + ptx::text_of(instruction) + "`, which kernel " +
                                       function.name + " uses");
  throw std::move(error).at(place(instruction)).advise("Run this kernel on a GPU: %device gpu");
}

CodePart Emitter::part() const {
  switch (clone) {
    case Clone::converged: return CodePart::all_lanes;
    case Clone::divergent: return CodePart::some_lanes;
    case Clone::lane: return CodePart::one_lane;
  }
  return CodePart::none;
}

// What is emitted from here on is for this instruction.
void Emitter::mark(const ptx::Instruction& instruction, CodePart part) {
  if (lines) b.SetCurrentDebugLocation(lines->at(place(instruction), part));
}

}  // namespace xcuda::device::cpu
