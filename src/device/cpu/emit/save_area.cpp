#include "device/cpu/emit/save_area.hpp"

#include <map>

#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"
#include "device/cpu/plan/spans.hpp"

namespace xcuda::device::cpu {

namespace {

constexpr std::uint32_t kPartBytes = 16;  // but a vector's

std::uint32_t aligned(std::uint32_t offset, std::uint32_t to) { return (offset + to - 1) / to * to; }

// Predicates are masks.
bool is_mask(Type* type) { return type->isVectorTy() && type->getScalarType()->isIntegerTy(1); }

Align alignment_of(Type* type) { return Align(type->isVectorTy() && !is_mask(type) ? 64 : kPartBytes); }

}  // namespace

void SaveArea::assign_slots() {
  offsets_.assign(e_.function.registers.size(), 0);
  if (e_.graph.barriers()) {
    std::uint32_t offset = e_.plan.shared() ? WarpSave::kQueueOffset + static_cast<std::uint32_t>(sizeof(LaneQueueSave))
                                            : kOffsetMasks + 4 * static_cast<std::uint32_t>(e_.graph.blocks.size());
    e_.plan.saves.saved.each([&](ptx::Register reg) {
      const Size size = size_of(reg);
      offsets_[reg] = aligned(offset, size.alignment);
      offset = offsets_[reg] + size.bytes;
    });
    e_.code.save_bytes = aligned(offset, 64);
  }
  if (e_.plan.shared()) place_unsaved();
}

SaveArea::Size SaveArea::size_of(ptx::Register reg) const {
  const RegisterForm& form = e_.plan.forms[reg];
  Type* type = e_.values.element(e_.function.registers[reg]);
  if (!form.is_varying())
    return {kPartBytes,
            kPartBytes * form.groups * (form.kind == RegisterForm::Kind::delayed || form.is_permuted() ? 2 : 1)};
  if (type->isIntegerTy(1)) return {kPartBytes, kPartBytes};
  return {64, 32 * static_cast<std::uint32_t>(e_.into.getDataLayout().getTypeStoreSize(type))};
}

// Registers that no lanes need at the same time share a place.
void SaveArea::place_unsaved() {
  std::vector<Span> spans = register_spans(e_.plan);
  std::vector<std::uint64_t> kinds(spans.size());
  for (ptx::Register reg = 0; reg < spans.size(); ++reg) {
    if (e_.graph.barriers() && e_.plan.saves.saved.contains(reg)) spans[reg] = {};
    const Size size = size_of(reg);
    kinds[reg] = std::uint64_t{size.alignment} << 32 | size.bytes;
  }
  const std::vector<std::uint32_t> places = share_places(spans, kinds);
  std::map<std::uint32_t, std::uint32_t> offsets;  // by place
  for (ptx::Register reg = 0; reg < spans.size(); ++reg) {
    if (places[reg] == kNoPlace) continue;
    const Size size = size_of(reg);
    const auto [found, added] = offsets.try_emplace(places[reg], aligned(own_bytes_, size.alignment));
    if (added) own_bytes_ = found->second + size.bytes;
    offsets_[reg] = found->second;
  }
}

llvm::Value* SaveArea::slot(std::uint32_t offset) {
  return e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), area_, offset);
}

llvm::Value* SaveArea::place(ptx::Register reg, std::size_t index) {
  const std::uint32_t offset = offsets_[reg] + kPartBytes * static_cast<std::uint32_t>(index);
  if (e_.graph.barriers() && e_.plan.saves.saved.contains(reg)) return slot(offset);
  if (!own_) {
    own_ = e_.slots.scratch(llvm::ArrayType::get(e_.b.getInt8Ty(), own_bytes_), "registers");
    llvm::cast<llvm::AllocaInst>(own_)->setAlignment(Align(64));
  }
  return e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), own_, offset);
}

llvm::StoreInst* SaveArea::store(ptx::Register reg, std::size_t index, Value* value) {
  const Align alignment = alignment_of(value->getType());
  if (is_mask(value->getType())) value = e_.values.to_mask(value);
  return e_.b.CreateAlignedStore(value, place(reg, index), alignment);
}

llvm::Value* SaveArea::load(ptx::Register reg, std::size_t index, Type* type) {
  if (!is_mask(type)) return e_.b.CreateAlignedLoad(type, place(reg, index), alignment_of(type));
  return e_.values.to_vector(e_.b.CreateAlignedLoad(e_.b.getInt32Ty(), place(reg, index), alignment_of(type)));
}

void SaveArea::save(const BitSet& registers) {
  registers.each([&](ptx::Register reg) {
    const auto& slots = e_.registers.slots(reg);
    for (std::size_t i = 0; i < slots.size(); ++i)
      store(reg, i, e_.b.CreateLoad(llvm::cast<llvm::AllocaInst>(slots[i])->getAllocatedType(), slots[i]));
  });
}

void SaveArea::restore(const BitSet& registers) {
  registers.each([&](ptx::Register reg) {
    const auto& slots = e_.registers.slots(reg);
    for (std::size_t i = 0; i < slots.size(); ++i)
      e_.b.CreateStore(load(reg, i, llvm::cast<llvm::AllocaInst>(slots[i])->getAllocatedType()), slots[i]);
  });
}

}  // namespace xcuda::device::cpu
