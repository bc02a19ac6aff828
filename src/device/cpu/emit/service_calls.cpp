// Calls of the runtime for work that generated code cannot do itself, with the site that a message names.
#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"
#include "ptx/source_places.hpp"

namespace xcuda::device::cpu {

using llvm::BasicBlock;

std::uint32_t ServiceCalls::site(const ptx::Instruction& instruction) {
  const ptx::Index key = e_.index_of(instruction);
  if (auto found = sites_.find(key); found != sites_.end()) return found->second;
  const std::uint32_t index = new_site(instruction);
  sites_.emplace(key, index);
  return index;
}

std::uint32_t ServiceCalls::new_site(const ptx::Instruction& instruction) {
  const auto index = static_cast<std::uint32_t>(e_.code.sites.size());
  AccessSite added;
  added.operation = instruction;
  added.place = e_.place(instruction);
  e_.code.sites.push_back(std::move(added));
  return index;
}

AccessSite& ServiceCalls::site_at(std::uint32_t index) { return e_.code.sites[index]; }

int ServiceCalls::new_cache() { return static_cast<int>(e_.code.cached_ranges++); }

llvm::Value* ServiceCalls::lane_call() {
  if (!lane_call_) {
    lane_call_ = e_.slots.scratch(llvm::ArrayType::get(e_.b.getInt8Ty(), sizeof(LaneCall)), "lane_call");
    llvm::cast<llvm::AllocaInst>(lane_call_)->setAlignment(llvm::Align(64));
  }
  return lane_call_;
}

llvm::Value* ServiceCalls::call(Service service, std::span<Value* const> values, Value* mask,
                                const ptx::Instruction& instruction) {
  return serve({service, mask, site(instruction)}, values);
}

llvm::Value* ServiceCalls::call(Service service, std::span<Value* const> values, Value* mask, std::uint32_t site) {
  return serve({service, mask, site}, values);
}

llvm::Value* ServiceCalls::serve(const Served& what, std::span<Value* const> values) {
  auto* i8 = e_.b.getInt8Ty();
  auto* i32 = e_.b.getInt32Ty();
  auto* pointer = e_.b.getPtrTy();
  auto field = [&](std::size_t offset) { return e_.b.CreateConstInBoundsGEP1_64(i8, lane_call(), offset); };
  e_.b.CreateStore(what.mask, field(offsetof(LaneCall, mask)));
  e_.b.CreateStore(e_.warp, field(offsetof(LaneCall, warp)));
  e_.b.CreateStore(what.chosen ? what.chosen : e_.b.getInt32(what.site), field(offsetof(LaneCall, site)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Value* value = values[i];
    if (!value->getType()->isVectorTy()) value = e_.values.splat(value);
    value = e_.b.CreateZExtOrTrunc(value, e_.values.lanes(e_.b.getInt64Ty()));
    e_.b.CreateAlignedStore(value, field(offsetof(LaneCall, arguments) + i * sizeof(LaneCall::arguments[0])),
                            llvm::Align(8));
  }
  Value* table = e_.b.CreateConstInBoundsGEP1_64(
      i8, e_.launch, offsetof(LaunchAbi, services) + 8 * static_cast<std::size_t>(what.service));
  Value* target = e_.b.CreateLoad(pointer, table);
  auto* type = llvm::FunctionType::get(i32, {pointer, pointer}, false);
  auto* call = e_.b.CreateCall(type, target, {e_.frame, lane_call_});
  call->setDoesNotThrow();
  BasicBlock* on = e_.new_block("served");
  e_.b.CreateCondBr(e_.b.CreateICmpEQ(call, e_.b.getInt32(0)), on, e_.left, mostly(e_.b.getContext()));
  e_.b.SetInsertPoint(on);
  return lane_call_;
}

llvm::Value* ServiceCalls::results(Value* call, llvm::Type* type) {
  Value* results = e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), call, offsetof(LaneCall, results));
  Value* wide = e_.b.CreateAlignedLoad(e_.values.lanes(e_.b.getInt64Ty()), results, llvm::Align(8));
  return e_.b.CreateTrunc(wide, e_.values.lanes(type));
}

void ServiceCalls::record(const Held& at, std::uint32_t site, std::span<Value* const> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    Value* value = values[i];
    llvm::Type* type = value->getType()->getScalarType();
    if (!type->isIntegerTy())
      value = e_.b.CreateBitCast(value,
                                 e_.values.lanes(e_.values.integer(static_cast<int>(type->getPrimitiveSizeInBits()))));
    value = e_.b.CreateZExtOrTrunc(value, e_.values.lanes(e_.b.getInt64Ty()));
    auto* to = e_.b.CreateConstInBoundsGEP1_64(
        e_.b.getInt8Ty(), lane_call(), offsetof(LaneCall, arguments) + (i + 1) * sizeof(LaneCall::arguments[0]));
    e_.b.CreateAlignedStore(value, to, llvm::Align(8));
  }
  llvm::Constant* members[] = {e_.b.getInt32(site), e_.b.getInt32(0)};
  call_lanes(at, members, offsetof(LaunchAbi, record));
}

llvm::Value* ServiceCalls::mark(const MarkedRow& row, Value* writes, Value* reads) {
  auto* i32 = e_.b.getInt32Ty();
  auto* pointer = e_.b.getPtrTy();
  llvm::Constant* fields[] = {e_.b.getInt32(row.site), e_.b.getInt32(row.words), e_.b.getInt32(row.thread_shift),
                              e_.b.getInt32(row.first), e_.b.getInt32(row.what)};
  auto* table = e_.slots.constant_table(llvm::ConstantStruct::getAnon(fields));
  auto* type = llvm::FunctionType::get(i32, {pointer, pointer, pointer, pointer, i32}, false);
  Value* function =
      e_.b.CreateLoad(pointer, e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), e_.launch, offsetof(LaunchAbi, mark)));
  auto* call = e_.b.CreateCall(type, function, {e_.frame, table, writes, reads, e_.warp});
  call->setDoesNotThrow();
  return call;
}

}  // namespace xcuda::device::cpu
