#include "device/cpu/emit/save_area.hpp"

#include <algorithm>

#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"

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

// Registers that no lanes need at the same time share a place: those whose blocks, from the first to the last in the
// text, do not overlap.
void SaveArea::place_unsaved() {
  const Graph& graph = e_.graph;
  struct Range {
    ptx::Register reg;
    BlockIndex first, last;
  };
  std::vector<Range> ranges;
  std::vector<std::size_t> range_of(offsets_.size(), offsets_.size());
  auto extend = [&](const BitSet& registers, BlockIndex block) {
    registers.each([&](ptx::Register reg) {
      if (e_.graph.barriers() && e_.plan.saves.saved.contains(reg)) return;
      if (range_of[reg] == offsets_.size()) {
        range_of[reg] = ranges.size();
        ranges.push_back({reg, block, block});
      }
      ranges[range_of[reg]].last = block;
    });
  };
  for (BlockIndex block = 0; block < graph.blocks.size(); ++block) {
    extend(graph.live[block], block);
    extend(e_.plan.kept[block], block);
    for (const BlockIndex next : {graph.blocks[block].next, graph.blocks[block].taken})
      if (next != kNoBlock) extend(graph.live[next], block);
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> free;                 // by bytes
  std::multimap<BlockIndex, std::pair<std::uint32_t, std::uint32_t>> used;  // by last block: bytes, offset
  for (const Range& range : ranges) {                                       // in the order of their first blocks
    for (; !used.empty() && used.begin()->first < range.first; used.erase(used.begin()))
      free[used.begin()->second.first].push_back(used.begin()->second.second);
    const Size size = size_of(range.reg);
    std::vector<std::uint32_t>& places = free[size.bytes];
    if (places.empty()) {
      places.push_back(own_bytes_ = aligned(own_bytes_, size.alignment));
      own_bytes_ += size.bytes;
    }
    offsets_[range.reg] = places.back();
    places.pop_back();
    used.emplace(range.last, std::pair{size.bytes, offsets_[range.reg]});
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

void SaveArea::store(ptx::Register reg, std::size_t index, Value* value) {
  const Align alignment = alignment_of(value->getType());
  if (is_mask(value->getType())) value = e_.values.to_mask(value);
  e_.b.CreateAlignedStore(value, place(reg, index), alignment);
}

llvm::Value* SaveArea::load(ptx::Register reg, std::size_t index, Type* type) {
  if (!is_mask(type)) return e_.b.CreateAlignedLoad(type, place(reg, index), alignment_of(type));
  return e_.values.to_vector(e_.b.CreateAlignedLoad(e_.b.getInt32Ty(), place(reg, index), alignment_of(type)));
}

void SaveArea::save(const BitSet& registers) {
  registers.each([&](ptx::Register reg) { save(reg); });
}

void SaveArea::save(ptx::Register reg) {
  const auto& slots = e_.registers.slots(reg);
  for (std::size_t i = 0; i < slots.size(); ++i)
    store(reg, i, e_.b.CreateLoad(llvm::cast<llvm::AllocaInst>(slots[i])->getAllocatedType(), slots[i]));
}

void SaveArea::restore(const BitSet& registers) {
  registers.each([&](ptx::Register reg) {
    const auto& slots = e_.registers.slots(reg);
    for (std::size_t i = 0; i < slots.size(); ++i)
      e_.b.CreateStore(load(reg, i, llvm::cast<llvm::AllocaInst>(slots[i])->getAllocatedType()), slots[i]);
  });
}

}  // namespace xcuda::device::cpu
