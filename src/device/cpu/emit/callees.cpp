#include "device/cpu/emit/callees.hpp"

#include "device/cpu/lower/called_functions.hpp"

namespace xcuda::device::cpu {

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

const std::vector<ptx::Index>& Callees::addressed(const ptx::Module& module) {
  if (!addressed_) addressed_ = addressed_functions(module);
  return *addressed_;
}

}  // namespace xcuda::device::cpu
