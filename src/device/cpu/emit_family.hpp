// The names that every family of opcodes uses; for emit_*.cpp only.
#pragma once

#include <llvm/IR/Intrinsics.h>

#include "device/cpu/emitter.hpp"

namespace xcuda::device::cpu {

using llvm::Align;
using llvm::Value;
using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using PtxType = ptx::Type;
using Values = std::span<Value* const>;

}  // namespace xcuda::device::cpu
