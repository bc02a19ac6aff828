// Loops of code for one thread.
#pragma once

#include <llvm/IR/PassManager.h>

namespace xcuda::device::cpu {

// Gives an innermost loop a second version without the bounds checks (kBoundsMark) whose address changes by the same
// amount in each turn. It runs if the first and the last address are inside; otherwise the loop runs as it was, so that
// the fault, and the writes before it, are the same.
struct VersionCheckedLoops : llvm::PassInfoMixin<VersionCheckedLoops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

// The PTX compiler unrolls loops by four. This unrolls them further until the turns fill a vector of so many bytes and
// become one; the loop vectoriser would take them for loops over every fourth element.
struct WidenUnrolledLoops : llvm::PassInfoMixin<WidenUnrolledLoops> {
  std::uint64_t vector_bytes;
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

// Whether a function has an innermost loop that ends with its test.
bool has_counted_loops(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

}  // namespace xcuda::device::cpu
