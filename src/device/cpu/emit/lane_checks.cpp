// Calls of the runtime that look at an address for each lane.
#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"

namespace xcuda::device::cpu {

void ServiceCalls::check(const Held& at, llvm::ArrayRef<llvm::Constant*> members) {
  call_lanes(at, members, offsetof(LaunchAbi, check));
}

Value* ServiceCalls::lane_result(std::size_t index) {
  return e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), lane_call(), offsetof(LaneCall, results) + 8 * index);
}

llvm::Constant* ServiceCalls::accesses(std::uint32_t shift, Pattern pattern, llvm::ArrayRef<llvm::Constant*> members) {
  auto *i32 = e_.b.getInt32Ty(), *i64 = e_.b.getInt64Ty();
  // Into as few pieces of constant stride as there are, at least 8 lanes each.
  const auto& offsets = e_.plan.patterns.lanes(pattern);
  const std::int64_t stride = offsets[1] - offsets[0];
  std::uint32_t piece_shift = shift;
  const auto is_regular = [&] {
    for (std::size_t lane = 1; lane < kLanesPerWarp; ++lane)
      if (lane >> piece_shift == (lane - 1) >> piece_shift && offsets[lane] - offsets[lane - 1] != stride) return false;
    return true;
  };
  while (piece_shift >= 3 && !is_regular()) --piece_shift;
  if (piece_shift < 3) piece_shift = 0;
  llvm::SmallVector<llvm::Constant*, 32> lanes;
  for (std::int64_t lane : offsets)
    lanes.push_back(llvm::ConstantInt::get(i64, static_cast<std::uint64_t>(lane), true));
  auto* lane_table = e_.slots.constant_table(llvm::ConstantArray::get(llvm::ArrayType::get(i64, 32), lanes));
  auto* member_table =
      e_.slots.constant_table(llvm::ConstantArray::get(llvm::ArrayType::get(i32, members.size()), members));
  return e_.slots.constant_table(llvm::ConstantStruct::getAnon(
      {e_.b.getInt32(static_cast<std::uint32_t>(members.size() / 2)), e_.b.getInt32(shift), lane_table, member_table,
       e_.b.getInt64(static_cast<std::uint64_t>(stride)), e_.b.getInt32(piece_shift)}));
}

void ServiceCalls::leave_at_fault(llvm::CallInst* call) {
  call->setDoesNotThrow();
  llvm::BasicBlock* on = e_.new_block("in_bounds");
  e_.b.CreateCondBr(e_.b.CreateICmpEQ(call, e_.b.getInt32(0)), on, e_.left);
  e_.b.SetInsertPoint(on);
}

// Calls the function at the offset in the Launch.
void ServiceCalls::call_lanes(const Held& at, llvm::ArrayRef<llvm::Constant*> members, std::size_t function) {
  std::uint32_t shift = 0;
  Pattern pattern = kNoPattern;
  if (at.form.is_affine()) {
    for (std::size_t group = 0; group < at.form.groups; ++group) e_.b.CreateStore(at.parts[group], lane_result(group));
    shift = at.form.groups == 1 ? 5 : at.form.groups == 2 ? 4 : 3;
    pattern = at.form.pattern;
  } else {
    e_.b.CreateAlignedStore(e_.values.vector_of(at), lane_result(0), llvm::Align(8));
  }
  llvm::Type *pointer = e_.b.getPtrTy(), *i32 = e_.b.getInt32Ty();
  auto* type = llvm::FunctionType::get(i32, {pointer, pointer, pointer, i32, i32}, false);
  auto* table = accesses(shift, pattern, members);
  Value* check = e_.b.CreateLoad(pointer, e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), e_.launch, function));
  leave_at_fault(e_.b.CreateCall(type, check, {e_.frame, lane_call(), table, e_.masks.active_mask(), e_.warp}));
}

void ServiceCalls::check_apart(const Held& at, const Inside& inside, llvm::ArrayRef<llvm::Constant*> members) {
  e_.b.CreateAlignedStore(e_.values.vector_of(at), lane_result(0), llvm::Align(8));
  auto* table = accesses(0, kNoPattern, members);
  leave_at_fault(e_.b.CreateCall(lane_check(inside.shift), {e_.frame, lane_call(), table, e_.masks.active_mask(),
                                                            e_.warp, e_.launch, inside.base, inside.limit}));
}

// int lane_check(frame, lane_call, accesses, mask, warp, launch, base, limit): the outcome of the full check, which is
// made if an active lane's address may be outside.
llvm::Function* ServiceCalls::lane_check(unsigned shift) {
  const std::string name = "lane_check" + std::to_string(shift);
  if (auto* known = e_.into.getFunction(name)) return known;
  auto& context = e_.into.getContext();
  llvm::IRBuilder<> b(context);
  llvm::Type *pointer = b.getPtrTy(), *i32 = b.getInt32Ty(), *i64 = b.getInt64Ty();
  auto* type = llvm::FunctionType::get(i32, {pointer, pointer, pointer, i32, i32, pointer, i64, i64}, false);
  auto* function =
      e_.flow.add_attributes(llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, e_.into));
  function->addFnAttr(llvm::Attribute::NoInline);
  auto* entry = llvm::BasicBlock::Create(context, "entry", function);
  auto* full = llvm::BasicBlock::Create(context, "full", function);
  auto* inside = llvm::BasicBlock::Create(context, "inside", function);
  const auto argument = [&](unsigned i) { return function->getArg(i); };
  const auto at = [&](Value* base, std::size_t offset) {
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset);
  };

  b.SetInsertPoint(entry);
  auto* addresses = b.CreateAlignedLoad(e_.values.lanes(i64), at(argument(1), offsetof(LaneCall, results)), Align(8));
  Value* distance = b.CreateSub(addresses, b.CreateVectorSplat(kLanesPerWarp, argument(6)));
  if (shift != 0)
    distance = b.CreateIntrinsic(llvm::Intrinsic::fshr, {distance->getType()},
                                 {distance, distance, llvm::ConstantInt::get(distance->getType(), shift)});
  Value* beyond = b.CreateICmpUGE(distance, b.CreateVectorSplat(kLanesPerWarp, argument(7)));
  Value* lanes = b.CreateAnd(b.CreateBitCast(beyond, i32), argument(3));
  b.CreateCondBr(b.CreateICmpNE(lanes, b.getInt32(0)), full, inside);

  b.SetInsertPoint(full);
  auto* service = llvm::FunctionType::get(i32, {pointer, pointer, pointer, i32, i32}, false);
  auto* check = b.CreateLoad(pointer, at(argument(5), offsetof(LaunchAbi, check)));
  auto* outcome = b.CreateCall(service, check, {argument(0), argument(1), argument(2), argument(3), argument(4)});
  outcome->setDoesNotThrow();
  b.CreateRet(outcome);
  b.SetInsertPoint(inside);
  b.CreateRet(b.getInt32(0));
  return function;
}

}  // namespace xcuda::device::cpu
