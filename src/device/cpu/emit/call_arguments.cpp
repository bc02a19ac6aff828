#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/lower/called_functions.hpp"

namespace xcuda::device::cpu {

CallArguments::CallArguments(Emitter& e) : e_(e), in_memory_(arguments_in_memory(e.module, e.function)) {
  bases_.assign(e_.function.arguments.size(), nullptr);
}

llvm::Value* CallArguments::base(ptx::Index argument) {
  Value*& base = bases_[argument];
  if (!base) {
    const std::uint64_t size = std::max<std::uint64_t>(e_.function.arguments[argument].size, 1);
    auto* slot =
        llvm::cast<llvm::AllocaInst>(e_.slots.scratch(llvm::ArrayType::get(e_.b.getInt8Ty(), 32 * size), "argument"));
    slot->setAlignment(llvm::Align(64));
    base = e_.at_entry([&](auto& b) { return b.CreatePtrToInt(slot, b.getInt64Ty()); });
  }
  return base;
}

}  // namespace xcuda::device::cpu
