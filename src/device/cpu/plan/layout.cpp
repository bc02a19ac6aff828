#include "device/cpu/plan/layout.hpp"

#include <algorithm>
#include "base/demangle.hpp"

namespace xcuda::device::cpu {

namespace {

std::uint32_t rounded_up(std::uint32_t value, std::uint32_t to) { return (value + to - 1) / to * to; }

std::uint32_t place(const ptx::Variable& variable, std::uint32_t& end) {
  const std::uint32_t at = rounded_up(end, std::max<std::uint32_t>(variable.alignment, 1));
  end = at + static_cast<std::uint32_t>(variable.size);
  return at;
}

// Cooperative groups keep the barriers of tiles of more than 32 threads in memory that the system reserves. As much as
// a GPU has (cudaDeviceProp::reservedSharedMemPerBlock).
constexpr std::uint32_t kReservedShared = 1024;

bool reads_reserved_shared(const ptx::Function& function) {
  return std::any_of(function.operands.begin(), function.operands.end(), [](const ptx::Operand& operand) {
    return operand.kind == ptx::Operand::Kind::special && ptx::is_of_reserved_shared(operand.special);
  });
}

}  // namespace

SharedLayout shared_layout(const ptx::Module& module, const ptx::Function& function) {
  SharedLayout layout;
  layout.of_function.assign(function.variables.size(), 0);
  layout.of_module.assign(module.variables.size(), 0);
  for (std::size_t i = 0; i < function.variables.size(); ++i)
    if (function.variables[i].space == ptx::Space::shared)
      layout.of_function[i] = place(function.variables[i], layout.bytes);
  std::vector<bool> used(module.variables.size(), false);
  for (const ptx::Operand& operand : function.operands)
    if (operand.symbol_kind == ptx::SymbolKind::variable) used[operand.index] = true;
  for (std::size_t i = 0; i < module.variables.size(); ++i)
    if (used[i] && module.variables[i].space == ptx::Space::shared && module.variables[i].size)
      layout.of_module[i] = place(module.variables[i], layout.bytes);
  layout.bytes = rounded_up(layout.bytes, 16);
  if (reads_reserved_shared(function)) {
    layout.reserved = layout.bytes;
    layout.reserved_bytes = kReservedShared;
    layout.bytes += kReservedShared;
  }
  for (std::size_t i = 0; i < module.variables.size(); ++i)
    if (module.variables[i].space == ptx::Space::shared && !module.variables[i].size)
      layout.of_module[i] = layout.bytes;
  return layout;
}

namespace {

// "_ZZ6matmulE2As" is "As".
std::string variable_name(const std::string& symbol) {
  const std::string name = demangled(symbol);
  const std::size_t scope = name.rfind("::");
  return scope == name.npos ? name : name.substr(scope + 2);
}

}  // namespace

std::vector<SharedVariable> shared_variables(const ptx::Module& module, const ptx::Function& function) {
  const SharedLayout layout = shared_layout(module, function);
  std::vector<SharedVariable> variables;
  auto add = [&](const ptx::Variable& variable, std::uint32_t offset) {
    if (variable.space == ptx::Space::shared)
      variables.push_back({variable_name(variable.name), offset, static_cast<std::uint32_t>(variable.size)});
  };
  for (std::size_t i = 0; i < function.variables.size(); ++i) add(function.variables[i], layout.of_function[i]);
  std::vector<bool> used(module.variables.size(), false);
  for (const ptx::Operand& operand : function.operands)
    if (operand.symbol_kind == ptx::SymbolKind::variable) used[operand.index] = true;
  for (std::size_t i = 0; i < module.variables.size(); ++i)
    if (used[i]) add(module.variables[i], layout.of_module[i]);
  std::stable_sort(variables.begin(), variables.end(),
                   [](const auto& a, const auto& b) { return a.offset < b.offset; });
  return variables;
}

LocalLayout local_layout(const ptx::Function& function) {
  LocalLayout layout;
  for (const ptx::Variable& variable : function.variables)
    layout.offsets.push_back(variable.space == ptx::Space::local ? place(variable, layout.bytes) : 0);
  layout.bytes = rounded_up(layout.bytes, 16);
  return layout;
}

}  // namespace xcuda::device::cpu
