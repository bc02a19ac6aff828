// The pass `refuse`: finds what the CPU device cannot run before any part of a kernel is planned or emitted, so that no
// instruction runs as if one of its words were missing. The rows of instructions.def say which words and how many
// operands an opcode takes, forms.hpp which combinations of types, shapes and operands.
#pragma once

#include <string>

#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

// Checks the kernel and all functions that it may call. Errors: unsupported (instruction, kernel, line, reason).
void refuse(const ptx::Module& module, const ptx::Function& kernel);

// Each instruction that would be refused, with the reason; "" if the kernel can run.
std::string refused_text(const ptx::Module& module, const ptx::Function& kernel);

}  // namespace xcuda::device::cpu
