#include <algorithm>

#include "device/cpu/emit/emit_family.hpp"

namespace xcuda::device::cpu {

Value* StackSlots::scratch(Type* type, const char* name) {
  llvm::IRBuilder<> at(&e_.kernel->getEntryBlock(), e_.kernel->getEntryBlock().begin());
  return at.CreateAlloca(type, nullptr, name);
}

Value* StackSlots::spill(Value* vector) {
  auto* slot = llvm::cast<llvm::AllocaInst>(scratch(vector->getType(), "lanes"));
  slot->setAlignment(llvm::Align(64));
  e_.b.CreateAlignedStore(vector, slot, llvm::Align(64));
  return slot;
}

Value* StackSlots::call_memory(std::uint64_t words) {
  auto* type = llvm::ArrayType::get(e_.b.getInt64Ty(), std::max<std::uint64_t>(words, 1));
  if (call_memory_ == nullptr) {
    call_memory_ = llvm::cast<llvm::AllocaInst>(scratch(type, "call_memory"));
    call_memory_->setAlignment(llvm::Align(64));
  } else if (llvm::cast<llvm::ArrayType>(call_memory_->getAllocatedType())->getNumElements() < type->getNumElements()) {
    call_memory_->setAllocatedType(type);
  }
  return call_memory_;
}

Value* StackSlots::dummy() {
  if (dummy_) return dummy_;
  auto* type = llvm::ArrayType::get(e_.b.getInt64Ty(), 8);
  dummy_ = scratch(type, "dummy");
  // Zeros, so that what lanes that are off hold does not change from run to run.
  e_.at_entry([&](auto& b) { return b.CreateStore(llvm::Constant::getNullValue(type), dummy_); });
  return dummy_;
}

Value* StackSlots::lane_slot(Value* slot, Type* element, Value* lane) {
  return e_.b.CreateInBoundsGEP(element, slot, e_.b.CreateZExt(lane, e_.b.getInt64Ty()));
}

llvm::Constant* StackSlots::constant_table(llvm::Constant* table) {
  llvm::Constant*& known = tables_[table];
  if (!known) {
    auto* global =
        new llvm::GlobalVariable(e_.into, table->getType(), true, llvm::GlobalValue::PrivateLinkage, table, "table");
    global->setAlignment(llvm::Align(64));
    known = global;
  }
  return known;
}

}  // namespace xcuda::device::cpu
