// Where a warp keeps its registers while it waits.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "device/cpu/plan/bits.hpp"
#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

struct Emitter;

class SaveArea {
 public:
  using Value = llvm::Value;

  explicit SaveArea(Emitter& e) : e_(e) {}

  void assign_slots();  // also sets KernelCode::save_bytes
  void locate(llvm::Value* area) { area_ = area; }
  Value* slot(std::uint32_t offset);
  void save(const BitSet& registers);
  void restore(const BitSet& registers);
  // Loads a part of a register, by Held's parts. With Dispatch::shared every register live into a block has a place.
  Value* load(ptx::Register reg, std::size_t index, llvm::Type* type);
  llvm::StoreInst* store(ptx::Register reg, std::size_t index, Value* value);

 private:
  struct Size {
    std::uint32_t alignment, bytes;
  };
  Size size_of(ptx::Register reg) const;
  void place_unsaved();
  Value* place(ptx::Register reg, std::size_t index);

  Emitter& e_;
  Value* area_ = nullptr;
  std::vector<std::uint32_t> offsets_;  // by register; 0 when it is never saved
  // Registers that are not live after any barrier are in a stack slot.
  std::uint32_t own_bytes_ = 0;
  Value* own_ = nullptr;
};

}  // namespace xcuda::device::cpu
