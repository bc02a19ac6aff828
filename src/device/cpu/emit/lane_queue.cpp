#include "device/cpu/emit/lane_queue.hpp"

#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"

namespace xcuda::device::cpu {

namespace {

std::size_t offset_of(LaneQueue::Set set) {
  switch (set) {
    case LaneQueue::Set::running: return offsetof(LaneQueueSave, running);
    case LaneQueue::Set::ready: return offsetof(LaneQueueSave, ready);
    case LaneQueue::Set::met: return offsetof(LaneQueueSave, met);
    case LaneQueue::Set::held: return offsetof(LaneQueueSave, held);
    case LaneQueue::Set::gave: return offsetof(LaneQueueSave, gave);
    case LaneQueue::Set::asked: return offsetof(LaneQueueSave, asked);
  }
  return 0;
}

}  // namespace

// A slot of bytes that are reached at offsets is not turned into SSA values, which would cross every edge.
llvm::Value* LaneQueue::field(std::size_t offset) {
  if (e_.graph.barriers()) return e_.saves.slot(static_cast<std::uint32_t>(WarpSave::kQueueOffset + offset));
  if (!own_) {
    own_ = e_.slots.scratch(llvm::ArrayType::get(e_.b.getInt8Ty(), sizeof(LaneQueueSave)), "queue");
    llvm::cast<llvm::AllocaInst>(own_)->setAlignment(llvm::Align(64));
  }
  return e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), own_, offset);
}

void LaneQueue::start() {
  for (const Set set : {Set::ready, Set::met, Set::held, Set::gave, Set::asked}) assign(set, e_.b.getInt32(0));
  auto* zeros = llvm::Constant::getNullValue(e_.values.lanes(e_.b.getInt32Ty()));
  for (const std::size_t offset : {offsetof(LaneQueueSave, next), offsetof(LaneQueueSave, named)})
    e_.b.CreateAlignedStore(zeros, field(offset), llvm::Align(64));
}

llvm::Value* LaneQueue::lanes(Set set) { return e_.b.CreateLoad(e_.b.getInt32Ty(), field(offset_of(set))); }

void LaneQueue::assign(Set set, Value* mask) { e_.b.CreateStore(mask, field(offset_of(set))); }

void LaneQueue::add(Set set, Value* mask, BlockIndex next) {
  assign(offsetof(LaneQueueSave, next), mask, e_.values.splat(e_.b.getInt32(next)));
  assign(set, e_.b.CreateOr(lanes(set), mask));
}

llvm::Value* LaneQueue::next() { return vector(offsetof(LaneQueueSave, next)); }

void LaneQueue::name(Value* mask, Value* named) { assign(offsetof(LaneQueueSave, named), mask, named); }

llvm::Value* LaneQueue::named() { return vector(offsetof(LaneQueueSave, named)); }

llvm::Value* LaneQueue::vector(std::size_t offset) {
  return e_.b.CreateAlignedLoad(e_.values.lanes(e_.b.getInt32Ty()), field(offset), llvm::Align(64));
}

void LaneQueue::assign(std::size_t offset, Value* mask, Value* values) {
  Value* chosen = e_.b.CreateSelect(e_.values.to_vector(mask), values, vector(offset));
  e_.b.CreateAlignedStore(chosen, field(offset), llvm::Align(64));
}

}  // namespace xcuda::device::cpu
