#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"

namespace xcuda::device::cpu {

void SaveArea::assign_slots() {
  offsets_.assign(e_.function.registers.size(), 0);
  if (!e_.graph.barriers()) return;
  std::uint32_t offset = offset_masks + 4 * static_cast<std::uint32_t>(e_.graph.blocks.size());
  const llvm::DataLayout& layout = e_.into.getDataLayout();
  auto place_form = [&](ptx::Register reg, std::uint32_t alignment) {
    offset = (offset + alignment - 1) / alignment * alignment;
    offsets_[reg] = offset;
  };
  e_.plan.saves.saved.each([&](ptx::Register reg) {
    const Form& form = e_.plan.forms[reg];
    llvm::Type* type = e_.values.element(e_.function.registers[reg]);
    if (form.is_varying()) {
      place_form(reg, 64);
      offset += type->isIntegerTy(1) ? 4 : 32 * static_cast<std::uint32_t>(layout.getTypeStoreSize(type));
    } else {
      place_form(reg, 16);
      offset += 16 * form.groups * (form.kind == Form::Kind::delayed || form.is_permuted() ? 2 : 1);
    }
  });
  e_.code.save_bytes = (offset + 63) / 64 * 64;
}

llvm::Value* SaveArea::slot(std::uint32_t offset) {
  return e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), area_, offset);
}

void SaveArea::save(const BitSet& registers) {
  registers.each([&](ptx::Register reg) { save(reg); });
}

void SaveArea::save(ptx::Register reg) {
  std::uint32_t offset = offsets_[reg];
  for (Value* held : e_.registers.slots(reg)) {
    llvm::Type* type = llvm::cast<llvm::AllocaInst>(held)->getAllocatedType();
    Value* value = e_.b.CreateLoad(type, held);
    if (type->isVectorTy() && type->getScalarType()->isIntegerTy(1)) value = e_.values.to_mask(value);
    e_.b.CreateAlignedStore(value, slot(offset), llvm::Align(type->isVectorTy() ? 64 : 16));
    offset += 16;
  }
}

void SaveArea::restore(const BitSet& registers) {
  registers.each([&](ptx::Register reg) {
    std::uint32_t offset = offsets_[reg];
    for (Value* held : e_.registers.slots(reg)) {
      llvm::Type* type = llvm::cast<llvm::AllocaInst>(held)->getAllocatedType();
      const llvm::Align alignment(type->isVectorTy() ? 64 : 16);
      if (type->isVectorTy() && type->getScalarType()->isIntegerTy(1))
        e_.b.CreateStore(e_.values.to_vector(e_.b.CreateAlignedLoad(e_.b.getInt32Ty(), slot(offset), alignment)), held);
      else
        e_.b.CreateStore(e_.b.CreateAlignedLoad(type, slot(offset), alignment), held);
      offset += 16;
    }
  });
}

}  // namespace xcuda::device::cpu
