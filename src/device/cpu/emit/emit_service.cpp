// Calls of the runtime: what generated code cannot do itself, with the site that a message names.
#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"
#include "device/cpu/lower/accepted.hpp"
#include "ptx/control_flow.hpp"

namespace xcuda::device::cpu {

using llvm::BasicBlock;

namespace {

llvm::MDNode* rarely(llvm::LLVMContext& context) { return llvm::MDBuilder(context).createBranchWeights(1, 2000); }

}  // namespace

llvm::Value* Emitter::cold_branch(Value* condition, const std::function<void()>& body, const char* name) {
  BasicBlock *cold = new_block(name), *on = new_block("on");
  builder_.CreateCondBr(condition, cold, on, rarely(builder_.getContext()));
  builder_.SetInsertPoint(cold);
  const llvm::DebugLoc before = builder_.getCurrentDebugLocation();
  if (lines_ && instruction_) mark(*instruction_, CodePart::check);
  body();
  builder_.SetCurrentDebugLocation(before);
  if (!builder_.GetInsertBlock()->getTerminator()) builder_.CreateBr(on);
  builder_.SetInsertPoint(on);
  return nullptr;
}

void Emitter::leave_kernel() { builder_.CreateBr(left_); }

std::uint32_t Emitter::site(const ptx::Instruction& instruction) {
  const ptx::Index key = index_of(instruction);
  if (auto found = sites_.find(key); found != sites_.end()) return found->second;
  const std::uint32_t index = new_site(instruction);
  sites_.emplace(key, index);
  return index;
}

std::uint32_t Emitter::new_site(const ptx::Instruction& instruction) {
  const auto index = static_cast<std::uint32_t>(code_->sites.size());
  AccessSite added;
  added.operation = instruction;
  added.place = place(instruction);
  code_->sites.push_back(std::move(added));
  return index;
}

llvm::Value* Emitter::lane_call() {
  if (!lane_call_) {
    lane_call_ = scratch(llvm::ArrayType::get(builder_.getInt8Ty(), sizeof(LaneCall)), "lane_call");
    llvm::cast<llvm::AllocaInst>(lane_call_)->setAlignment(llvm::Align(64));
  }
  return lane_call_;
}

llvm::Value* Emitter::call_service(Service service, std::span<Value* const> values, Value* mask,
                                   const ptx::Instruction& instruction) {
  return serve({service, mask, site(instruction)}, values);
}

llvm::Value* Emitter::call_service(Service service, std::span<Value* const> values, Value* mask, std::uint32_t site) {
  return serve({service, mask, site}, values);
}

llvm::Value* Emitter::serve(const Served& what, std::span<Value* const> values) {
  auto* i8 = builder_.getInt8Ty();
  auto* i32 = builder_.getInt32Ty();
  auto* pointer = builder_.getPtrTy();
  auto field = [&](std::size_t offset) { return builder_.CreateConstInBoundsGEP1_64(i8, lane_call(), offset); };
  builder_.CreateStore(what.mask, field(offsetof(LaneCall, mask)));
  builder_.CreateStore(warp_, field(offsetof(LaneCall, warp)));
  builder_.CreateStore(builder_.getInt32(what.site), field(offsetof(LaneCall, site)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Value* value = values[i];
    if (!value->getType()->isVectorTy()) value = splat(value);
    value = builder_.CreateZExtOrTrunc(value, lanes(builder_.getInt64Ty()));
    builder_.CreateAlignedStore(value, field(offsetof(LaneCall, arguments) + i * sizeof(LaneCall::arguments[0])),
                                llvm::Align(8));
  }
  Value* table = builder_.CreateConstInBoundsGEP1_64(
      i8, launch_, offsetof(Launch, services) + 8 * static_cast<std::size_t>(what.service));
  Value* target = builder_.CreateLoad(pointer, table);
  auto* type = llvm::FunctionType::get(i32, {pointer, pointer}, false);
  auto* call = builder_.CreateCall(type, target, {frame_, lane_call_});
  call->setDoesNotThrow();
  BasicBlock* on = new_block("served");
  builder_.CreateCondBr(builder_.CreateICmpEQ(call, builder_.getInt32(0)), on, left_, mostly(builder_.getContext()));
  builder_.SetInsertPoint(on);
  return lane_call_;
}

llvm::Value* Emitter::service_results(Value* call, llvm::Type* type) {
  Value* results = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), call, offsetof(LaneCall, results));
  Value* wide = builder_.CreateAlignedLoad(lanes(builder_.getInt64Ty()), results, llvm::Align(8));
  return builder_.CreateTrunc(wide, lanes(type));
}

Place Emitter::place(const ptx::Instruction& instruction) const {
  return ptx::place_of(module_, function_, index_of(instruction));
}

void Emitter::unsupported(const ptx::Instruction& instruction, std::string_view why) const {
  std::string message =
      "the CPU device cannot run `" + ptx::text_of(instruction) + "`, which kernel " + function_.name + " uses";
  const std::string reason = why.empty() ? why_refused(instruction) : std::string(why);
  if (!reason.empty()) message.append(" (").append(reason).append(")");
  Error error(ErrorKind::unsupported, message);
  throw std::move(error).at(place(instruction)).advise("run this kernel on a GPU: %device gpu");
}

}  // namespace xcuda::device::cpu
