// The names that all emitting code uses; for sources of emit/ only.
#pragma once

#include <llvm/IR/Intrinsics.h>

#include "device/cpu/emit/emitter.hpp"

namespace xcuda::device::cpu {

using llvm::Align;
using llvm::Type;
using llvm::Value;
using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Signedness;
using PtxType = ptx::Type;
using Values = std::span<Value* const>;

// element, as many times as like has lanes.
inline Type* shaped(Value* like, Type* element) {
  auto* vector = llvm::dyn_cast<llvm::VectorType>(like->getType());
  return vector ? llvm::VectorType::get(element, vector->getElementCount()) : element;
}

inline Value* fused(Emitter& e, Value* x, Value* y, Value* z) {
  return e.b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
}

// {a, b} is several operands, anything else is one.
inline std::span<const Operand> elements(const Emitter& e, const Operand& operand) {
  if (operand.kind == Operand::Kind::vector) return e.function.elements_of(operand);
  return {&operand, 1};
}

constexpr PtxType bits_type(int bits) {
  switch (bits) {
    case 8: return PtxType::b8;
    case 16: return PtxType::b16;
    case 32: return PtxType::b32;
    case 64: return PtxType::b64;
    default: return PtxType::b128;
  }
}

constexpr bool is_pair(PtxType type) { return type == PtxType::f16x2 || type == PtxType::bf16x2; }

}  // namespace xcuda::device::cpu
