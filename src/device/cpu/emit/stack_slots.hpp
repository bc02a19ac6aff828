// Memory of a function's own: stack slots, and tables that do not change.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <map>

namespace xcuda::device::cpu {

struct Emitter;

class StackSlots {
 public:
  using Value = llvm::Value;

  explicit StackSlots(Emitter& e) : e_(e) {}

  Value* scratch(llvm::Type* type, const char* name);
  Value* spill(Value* vector);  // a slot that holds the vector
  // 64-bit words for the registers of one call of a service, from a multiple of 64 bytes on. All calls of a function
  // use the same ones: an unrolled product of matrices has thousands of them.
  Value* call_memory(std::uint64_t words);
  Value* lane_slot(Value* slot, llvm::Type* element, Value* lane);
  Value* dummy();  // 64 bytes that may be read and written
  llvm::Constant* constant_table(llvm::Constant* table);

 private:
  Emitter& e_;
  Value* dummy_ = nullptr;
  llvm::AllocaInst* call_memory_ = nullptr;
  std::map<llvm::Constant*, llvm::Constant*> tables_;
};

}  // namespace xcuda::device::cpu
