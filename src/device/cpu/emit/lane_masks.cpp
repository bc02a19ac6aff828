#include "device/cpu/emit/emit_family.hpp"

namespace xcuda::device::cpu {

Value* LaneMasks::exec_vector(int bits) {
  if (e_.one_thread()) return e_.values.to_vector(e_.exec, bits);
  if (e_.converged()) return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(32), e_.b.getTrue());
  return e_.values.to_vector(e_.exec, bits);
}

Value* LaneMasks::active() {
  if (e_.one_thread()) return e_.values.to_vector(active_mask());
  Value* mask = exec_vector();
  if (!e_.guarded) return mask;
  Value* guard = e_.values.vector_of(e_.registers.read_register(e_.instruction->guard));
  if (e_.instruction->guard_negated) guard = e_.b.CreateNot(guard);
  return e_.converged() ? guard : e_.b.CreateAnd(mask, guard);
}

Value* LaneMasks::active_mask() {
  if (!e_.guarded) return e_.exec;
  if (!e_.one_thread()) return e_.values.to_mask(active());
  Value* guard = e_.registers.read_register(e_.instruction->guard).parts[0];
  return e_.b.CreateZExt(e_.instruction->guard_negated ? e_.b.CreateNot(guard) : guard, e_.b.getInt32Ty());
}

Value* LaneMasks::carry() {
  if (!carry_) carry_ = e_.slots.scratch(e_.values.lanes(e_.b.getInt1Ty()), "carry");
  return e_.b.CreateLoad(e_.values.lanes(e_.b.getInt1Ty()), carry_);
}

void LaneMasks::set_carry(Value* carry) {
  Value* old = this->carry();
  e_.b.CreateStore(e_.all_active() ? carry : e_.b.CreateSelect(active(), carry, old), carry_);
}

void LaneMasks::each_lane(Value* mask, const std::function<void(Value*)>& body) {
  auto* i32 = e_.b.getInt32Ty();
  if (e_.one_thread() && !e_.guarded) return body(e_.b.getInt32(0));
  Value* left = e_.slots.scratch(i32, "lanes_left");
  llvm::BasicBlock *test = e_.new_block("lane_test"), *loop = e_.new_block("lane"), *done = e_.new_block("lanes_done");
  e_.b.CreateStore(mask, left);
  e_.b.CreateBr(test);
  e_.b.SetInsertPoint(test);
  Value* rest = e_.b.CreateLoad(i32, left);
  e_.b.CreateCondBr(e_.b.CreateICmpEQ(rest, e_.b.getInt32(0)), done, loop);
  e_.b.SetInsertPoint(loop);
  body(e_.b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, e_.b.getTrue()));
  e_.b.CreateStore(e_.b.CreateAnd(rest, e_.b.CreateSub(rest, e_.b.getInt32(1))), left);
  e_.b.CreateBr(test);
  e_.b.SetInsertPoint(done);
}

}  // namespace xcuda::device::cpu
