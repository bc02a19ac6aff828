// Barriers that reduce (bar.red): threads are counted as they arrive, and the counts of a complete barrier are its
// result.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

struct Emitter;

class Votes {
 public:
  explicit Votes(Emitter& e) : e_(e) {}

  bool reduces() const;  // whether the kernel has such a barrier
  // 0 and 1: threads that arrived with true and with false; 2 and 3: the same of the last complete barrier.
  llvm::Value* slot(std::size_t index);
  void arrive(const ptx::Instruction& instruction);
  void write_result(const ptx::Instruction& instruction);

 private:
  Emitter& e_;
};

}  // namespace xcuda::device::cpu
