// Where a warp keeps its registers while it waits.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "device/cpu/plan/bits.hpp"
#include "ptx/tree.hpp"

namespace xcuda::device::cpu {

struct Emitter;

class SaveArea {
 public:
  explicit SaveArea(Emitter& e) : e_(e) {}

  void assign_slots();  // and KernelCode::save_bytes
  void locate(llvm::Value* area) { area_ = area; }
  llvm::Value* slot(std::uint32_t offset);
  void save(const BitSet& registers);
  void save(ptx::Register reg);
  void restore(const BitSet& registers);

 private:
  Emitter& e_;
  llvm::Value* area_ = nullptr;
  std::vector<std::uint32_t> offsets_;  // by register; 0 when it is never saved
};

}  // namespace xcuda::device::cpu
