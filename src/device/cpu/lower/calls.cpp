#include "device/cpu/lower/calls.hpp"

#include <algorithm>

namespace xcuda::device::cpu {

using ptx::Operand;
using ptx::SymbolKind;

namespace {

constexpr Provided kProvided[] = {
    {"vprintf", Service::print, 2, true},
    {"__assertfail", Service::assert_failed, 4, false},
    {"malloc", Service::allocate, 1, true},
    {"free", Service::release, 1, false},
};

std::uint32_t size_of(const ptx::Function& caller, const Operand& argument) {
  if (argument.kind == Operand::Kind::symbol) return caller.arguments[argument.index].size;
  if (argument.kind == Operand::Kind::reg && argument.reg != ptx::kNoIndex)
    return static_cast<std::uint32_t>(ptx::bytes_of(caller.registers[argument.reg]));
  return 0;  // anything
}

}  // namespace

const Provided* provided_by(const ptx::Module& module, const ptx::Call& call) {
  if (call.callee.kind != Operand::Kind::symbol || module.functions[call.callee.index].defined) return nullptr;
  for (const Provided& each : kProvided)
    if (each.name == module.functions[call.callee.index].name) return &each;
  return nullptr;
}

bool fits(const ptx::Function& caller, const ptx::Call& call, const ptx::Function& callee) {
  const auto same = [&](const std::vector<Operand>& given, const std::vector<ptx::Parameter>& wanted) {
    return std::equal(given.begin(), given.end(), wanted.begin(), wanted.end(),
                      [&](const Operand& operand, const ptx::Parameter& parameter) {
                        const std::uint32_t size = size_of(caller, operand);
                        return size == 0 || size == parameter.size;
                      });
  };
  return same(call.arguments, callee.parameters) && same(call.results, callee.results);
}

std::vector<ptx::Index> addressed_functions(const ptx::Module& module) {
  std::vector<bool> taken(module.functions.size(), false);
  for (const ptx::Variable& variable : module.variables)
    for (const ptx::Relocation& relocation : variable.relocations)
      if (relocation.symbol.kind == SymbolKind::function) taken[relocation.symbol.index] = true;
  for (const ptx::Function& function : module.functions)
    for (const Operand& operand : function.operands)
      if (operand.kind == Operand::Kind::symbol && operand.symbol_kind == SymbolKind::function)
        taken[operand.index] = true;
  std::vector<ptx::Index> all;
  for (ptx::Index i = 0; i < taken.size(); ++i)
    if (taken[i] && module.functions[i].defined && !module.functions[i].entry) all.push_back(i);
  return all;
}

std::vector<bool> arguments_in_memory(const ptx::Module& module, const ptx::Function& function) {
  std::vector<bool> in_memory(function.arguments.size(), false);
  for (const ptx::Call& call : function.calls) {
    if (provided_by(module, call)) continue;
    for (const auto* list : {&call.arguments, &call.results})
      for (const Operand& operand : *list)
        if (operand.kind == Operand::Kind::symbol && operand.symbol_kind == SymbolKind::argument)
          in_memory[operand.index] = true;
  }
  return in_memory;
}

}  // namespace xcuda::device::cpu
