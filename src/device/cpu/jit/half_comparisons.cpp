#include "device/cpu/jit/half_comparisons.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace xcuda::device::cpu {

llvm::PreservedAnalyses WidenHalfComparisons::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  std::vector<llvm::FCmpInst*> found;
  for (auto& instruction : llvm::instructions(function))
    if (auto* const comparison = llvm::dyn_cast<llvm::FCmpInst>(&instruction))
      if (const auto* const type = comparison->getOperand(0)->getType()->getScalarType();
          type->isHalfTy() || type->isBFloatTy())
        found.push_back(comparison);
  for (auto* const comparison : found) {
    llvm::IRBuilder<> b(comparison);
    for (unsigned i = 0; i < 2; ++i) {
      auto* const operand = comparison->getOperand(i);
      comparison->setOperand(i, b.CreateFPExt(operand, operand->getType()->getWithNewType(b.getFloatTy())));
    }
  }
  return found.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace xcuda::device::cpu
