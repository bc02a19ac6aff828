#include "device/cpu/emit/callees.hpp"

#include "device/cpu/emit/emit_family.hpp"

namespace xcuda::device::cpu {

using ptx::SymbolKind;

llvm::Function* Callees::find(ptx::Index function) {
  llvm::Function*& found = all_[function];
  if (!found) {
    llvm::LLVMContext& context = into_.getContext();
    auto* pointer = llvm::PointerType::get(context, 0);
    auto* i32 = llvm::Type::getInt32Ty(context);
    auto* type = llvm::FunctionType::get(i32, {pointer, pointer, i32, i32}, false);  // frame, table, mask, warp
    found = llvm::Function::Create(type, llvm::Function::InternalLinkage, "function", into_);
    waiting_.push_back(function);
  }
  return found;
}

std::optional<ptx::Index> Callees::next() {
  if (waiting_.empty()) return std::nullopt;
  const ptx::Index function = waiting_.back();
  waiting_.pop_back();
  return function;
}

std::vector<ptx::Index> Callees::addressed(const ptx::Module& module) {
  if (addressed_) return *addressed_;
  std::vector<bool> taken(module.functions.size(), false);
  for (const ptx::Variable& variable : module.variables)
    for (const ptx::Relocation& relocation : variable.relocations)
      if (relocation.symbol.kind == SymbolKind::function) taken[relocation.symbol.index] = true;
  for (const ptx::Function& function : module.functions)
    for (const Operand& operand : function.operands)
      if (operand.kind == Operand::Kind::symbol && operand.symbol_kind == SymbolKind::function)
        taken[operand.index] = true;
  addressed_.emplace();
  for (ptx::Index i = 0; i < taken.size(); ++i)
    if (taken[i] && module.functions[i].defined && !module.functions[i].entry) addressed_->push_back(i);
  return *addressed_;
}

}  // namespace xcuda::device::cpu
