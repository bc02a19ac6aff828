// Loops of code for one thread.
#pragma once

#include <llvm/IR/PassManager.h>

namespace xcuda::device::cpu {

// An innermost loop gets a second version without those of its bounds checks (kBoundsMark) whose address changes by the
// same amount in each turn. It runs if the first and the last address are inside; otherwise the loop runs as it was, so
// that what is written before a fault, and the fault, are the same.
struct VersionCheckedLoops : llvm::PassInfoMixin<VersionCheckedLoops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

// The PTX compiler unrolls loops by four. Those get as many turns more as fill a vector of so many bytes, which then
// becomes one; the loop vectoriser would take them for loops over every fourth element.
struct WidenUnrolledLoops : llvm::PassInfoMixin<WidenUnrolledLoops> {
  std::uint64_t vector_bytes;
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

// Whether it has an innermost loop that ends with its test.
bool has_counted_loops(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

}  // namespace xcuda::device::cpu
