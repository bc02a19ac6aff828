#include <array>

#include "device/cpu/emit/emit_family.hpp"

namespace xcuda::device::cpu {

using ptx::SymbolKind;

namespace {

constexpr std::array<Provided, 4> provided{{
    {"vprintf", Service::print, 2, true},
    {"__assertfail", Service::assert_failed, 4, false},
    {"malloc", Service::allocate, 1, true},
    {"free", Service::release, 1, false},
}};

}  // namespace

const Provided* provided_by(const ptx::Module& module, const ptx::Call& call) {
  if (call.callee.kind != Operand::Kind::symbol || module.functions[call.callee.index].defined) return nullptr;
  for (const Provided& each : provided)
    if (each.name == module.functions[call.callee.index].name) return &each;
  return nullptr;
}

CallArguments::CallArguments(Emitter& e) : e_(e) {
  in_memory_.assign(e_.function.arguments.size(), false);
  bases_.assign(e_.function.arguments.size(), nullptr);
  for (const ptx::Call& call : e_.function.calls) {
    if (provided_by(e_.module, call)) continue;
    for (const auto* list : {&call.arguments, &call.results})
      for (const Operand& operand : *list)
        if (operand.kind == Operand::Kind::symbol && operand.symbol_kind == SymbolKind::argument)
          in_memory_[operand.index] = true;
  }
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
