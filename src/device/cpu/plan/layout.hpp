// Where a kernel's shared and local variables lie.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/cpu/abi/kernel_code.hpp"
#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

// Offsets in a block's shared memory. Only module variables that the kernel names take room.
struct SharedLayout {
  std::vector<std::uint32_t> of_function, of_module;  // by Function::variables, Module::variables
  std::uint32_t reserved = 0, reserved_bytes = 0;     // what %reserved_smem_offset_* describe, if the kernel reads them
  std::uint32_t bytes = 0;                            // of all these; the dynamic part begins here

  std::uint32_t offset(const ptx::Symbol& symbol) const {
    return symbol.kind == ptx::SymbolKind::local ? of_function[symbol.index] : of_module[symbol.index];
  }
};
SharedLayout shared_layout(const ptx::Module& module, const ptx::Function& function);

// The variables at those offsets; the dynamic part last.
std::vector<SharedVariable> shared_variables(const ptx::Module& module, const ptx::Function& function);

struct LocalLayout {
  std::vector<std::uint32_t> offsets;  // by Function::variables
  std::uint32_t bytes = 0;             // of a thread, a multiple of 16
};
LocalLayout local_layout(const ptx::Function& function);

}  // namespace xcuda::device::cpu
