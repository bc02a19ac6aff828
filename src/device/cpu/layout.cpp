#include "device/cpu/layout.hpp"

#include <algorithm>

namespace xcuda::device::cpu {

namespace {

std::uint32_t rounded_up(std::uint32_t value, std::uint32_t to) { return (value + to - 1) / to * to; }

std::uint32_t place(const ptx::Variable& variable, std::uint32_t& end) {
  const std::uint32_t at = rounded_up(end, std::max<std::uint32_t>(variable.alignment, 1));
  end = at + static_cast<std::uint32_t>(variable.size);
  return at;
}

}  // namespace

SharedLayout shared_layout(const ptx::Module& module, const ptx::Function& function) {
  SharedLayout layout;
  layout.of_function.assign(function.variables.size(), 0);
  layout.of_module.assign(module.variables.size(), 0);
  for (std::size_t i = 0; i < function.variables.size(); ++i)
    if (function.variables[i].space == ptx::Space::shared) layout.of_function[i] = place(function.variables[i], layout.bytes);
  std::vector<bool> used(module.variables.size(), false);
  for (const ptx::Operand& operand : function.operands)
    if (operand.symbol_kind == ptx::SymbolKind::variable) used[operand.index] = true;
  for (std::size_t i = 0; i < module.variables.size(); ++i)
    if (used[i] && module.variables[i].space == ptx::Space::shared && module.variables[i].size)
      layout.of_module[i] = place(module.variables[i], layout.bytes);
  layout.bytes = rounded_up(layout.bytes, 16);
  for (std::size_t i = 0; i < module.variables.size(); ++i)
    if (module.variables[i].space == ptx::Space::shared && !module.variables[i].size) layout.of_module[i] = layout.bytes;
  return layout;
}

LocalLayout local_layout(const ptx::Function& function) {
  LocalLayout layout;
  for (const ptx::Variable& variable : function.variables)
    layout.offsets.push_back(variable.space == ptx::Space::local ? place(variable, layout.bytes) : 0);
  layout.bytes = rounded_up(layout.bytes, 16);
  return layout;
}

}  // namespace xcuda::device::cpu
