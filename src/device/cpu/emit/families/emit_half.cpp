// Half and bfloat16, alone and as pairs. LLVM would call a library to narrow a double, and would flush subnormal
// bfloat16 where the processor has an instruction: so narrowing is done here, through values rounded to odd.
#include "device/cpu/emit/families/families.hpp"

namespace xcuda::device::cpu {

namespace {

Type* bits_like(Emitter& e, Value* value) {
  return shaped(value, e.values.integer(static_cast<int>(value->getType()->getScalarSizeInBits())));
}

}  // namespace

// What is inexact ends in a 1, so that rounding again to fewer digits gives what rounding once would have.
Value* rounded_to_odd(Emitter& e, Value* value, Value* error) {
  auto& b = e.b;
  Type* bits = bits_like(e, value);
  Value* zero = e.values.real(error->getType(), 0);
  Value* inexact = b.CreateFCmpONE(error, zero);
  Value* raw = b.CreateBitCast(value, bits);
  Value* negative = b.CreateICmpSLT(raw, e.values.constant(bits, 0));  // -0, too
  Value* beyond = b.CreateAnd(inexact, b.CreateXor(b.CreateFCmpOLT(error, zero), negative));
  raw = b.CreateSub(raw, b.CreateZExt(beyond, bits));
  return b.CreateBitCast(b.CreateOr(raw, b.CreateZExt(inexact, bits)), value->getType());
}

Value* sum_to_odd(Emitter& e, Value* left, Value* right) {
  auto& b = e.b;
  Value* sum = b.CreateFAdd(left, right);
  Value* back = b.CreateFSub(sum, left);
  Value* error = b.CreateFAdd(b.CreateFSub(left, b.CreateFSub(sum, back)), b.CreateFSub(right, back));
  return rounded_to_odd(e, sum, error);
}

namespace {

// f64 to f32, rounded to odd; infinite only when it was.
Value* narrowed_to_odd(Emitter& e, Value* value) {
  auto& b = e.b;
  Value* near = b.CreateFPTrunc(value, shaped(value, b.getFloatTy()));
  Value* back = b.CreateFPExt(near, value->getType());
  // Infinity less infinity is NaN, which counts as exact; a finite number that became infinite has an infinite error.
  return rounded_to_odd(e, near, b.CreateFSub(value, back));
}

Value* to_brain(Emitter& e, Value* value) {  // f32 to bfloat16, to nearest even
  auto& b = e.b;
  Type* word = shaped(value, b.getInt32Ty());
  Value* raw = b.CreateBitCast(value, word);
  Value* odd = b.CreateAnd(b.CreateLShr(raw, 16), e.values.constant(word, 1));
  Value* near = b.CreateLShr(b.CreateAdd(raw, b.CreateAdd(odd, e.values.constant(word, 0x7fff))), 16);
  near = b.CreateSelect(b.CreateFCmpUNO(value, value), e.values.constant(word, 0x7fff), near);
  return b.CreateBitCast(b.CreateTrunc(near, shaped(value, b.getInt16Ty())), shaped(value, b.getBFloatTy()));
}

Value* flushed_half(Emitter& e, Value* value) {
  auto& b = e.b;
  Type* bits = bits_like(e, value);
  const std::uint64_t exponent = value->getType()->getScalarType()->isHalfTy() ? 0x7c00 : 0x7f80;
  Value* raw = b.CreateBitCast(value, bits);
  Value* tiny = b.CreateICmpEQ(b.CreateAnd(raw, e.values.constant(bits, exponent)), e.values.constant(bits, 0));
  return b.CreateBitCast(b.CreateSelect(tiny, b.CreateAnd(raw, e.values.constant(bits, 0x8000)), raw),
                         value->getType());
}

// +, -, * and fma in double: a product is exact there; a sum is rounded to odd.
Value* in_double(Emitter& e, const Instruction& instruction, Values v) {
  auto& b = e.b;
  Type* wide = shaped(v[0], b.getDoubleTy());
  llvm::SmallVector<Value*, 3> w;
  for (Value* value : v) w.push_back(b.CreateFPExt(widened_half(e, value), wide));
  if (instruction.opcode == Opcode::mul) return b.CreateFMul(w[0], w[1]);
  Value *left = w[0], *right = w.back();
  if (instruction.opcode == Opcode::fma || instruction.opcode == Opcode::mad) left = b.CreateFMul(w[0], w[1]);
  if (instruction.opcode == Opcode::sub) right = b.CreateFNeg(right);
  return sum_to_odd(e, left, right);
}

Value* computed_half(Emitter& e, const Instruction& instruction, Values inputs) {
  auto& b = e.b;
  Type* small = inputs[0]->getType();
  llvm::SmallVector<Value*, 3> v(inputs.begin(), inputs.end());
  if (instruction.has(Modifier::ftz))
    for (Value*& value : v) value = flushed_half(e, value);
  Value* result = nullptr;
  switch (instruction.opcode) {
    case Opcode::neg:
    case Opcode::abs: {
      Type* bits = bits_like(e, v[0]);
      Value* raw = b.CreateBitCast(v[0], bits);
      raw = instruction.opcode == Opcode::neg ? b.CreateXor(raw, e.values.constant(bits, 0x8000))
                                              : b.CreateAnd(raw, e.values.constant(bits, 0x7fff));
      return b.CreateBitCast(raw, small);
    }
    case Opcode::min:
    case Opcode::max:
      result = narrowed_half(e, extreme(e, instruction, widened_half(e, v[0]), widened_half(e, v[1])),
                             small->getScalarType());
      if (instruction.has(Modifier::xorsign)) {
        Type* bits = bits_like(e, result);
        Value* sign = b.CreateAnd(b.CreateXor(b.CreateBitCast(v[0], bits), b.CreateBitCast(v[1], bits)),
                                  e.values.constant(bits, 0x8000));
        Value* magnitude = b.CreateAnd(b.CreateBitCast(result, bits), e.values.constant(bits, 0x7fff));
        result = b.CreateBitCast(b.CreateOr(magnitude, sign), small);
      }
      return result;
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::fma:
    case Opcode::mad: {
      Value* wide = in_double(e, instruction, v);
      if (instruction.has(Modifier::relu)) {
        Type* type = wide->getType();
        Value* positive = b.CreateSelect(b.CreateFCmpOLT(wide, e.values.real(type, 0)), e.values.real(type, 0), wide);
        wide = b.CreateSelect(b.CreateFCmpUNO(wide, wide), llvm::ConstantFP::getNaN(type), positive);
      }
      if (instruction.has(Modifier::ftz)) {  // what is too small is so before it is rounded
        Value* size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, wide);
        Value* tiny = b.CreateFCmpOLT(size, e.values.real(wide->getType(), 0x1p-14));
        Value* zero = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, e.values.real(wide->getType(), 0), wide);
        wide = b.CreateSelect(tiny, zero, wide);
      }
      if (instruction.has(Modifier::sat)) wide = saturate(e, wide);
      result = narrowed_half(e, wide, small->getScalarType());
      break;
    }
    default: {  // tanh, ex2
      llvm::SmallVector<Value*, 3> wide;
      for (Value* value : v) wide.push_back(widened_half(e, value));
      result = narrowed_half(e, computed(e, instruction, wide), small->getScalarType());
    }
  }
  return instruction.has(Modifier::ftz) ? flushed_half(e, result) : result;
}

}  // namespace

Value* widened_half(Emitter& e, Value* value) {
  auto& b = e.b;
  if (value->getType()->getScalarType()->isHalfTy()) return b.CreateFPExt(value, shaped(value, b.getFloatTy()));
  Type* word = shaped(value, b.getInt32Ty());
  Value* raw = b.CreateZExt(b.CreateBitCast(value, shaped(value, b.getInt16Ty())), word);
  return b.CreateBitCast(b.CreateShl(raw, 16), shaped(value, b.getFloatTy()));
}

Value* narrowed_half(Emitter& e, Value* value, Type* element) {
  if (value->getType()->getScalarType()->isDoubleTy()) value = narrowed_to_odd(e, value);
  return element->isBFloatTy() ? to_brain(e, value) : e.b.CreateFPTrunc(value, shaped(value, element));
}

Value* half_of(Emitter& e, Value* word, unsigned part, Type* element) {
  auto& b = e.b;
  Value* bits = b.CreateTrunc(part ? b.CreateLShr(word, 16) : word, shaped(word, b.getInt16Ty()));
  return element->isIntegerTy() ? bits : b.CreateBitCast(bits, shaped(word, element));
}

Value* pair_of(Emitter& e, Value* low, Value* high) {
  auto& b = e.b;
  auto wide = [&](Value* half) {
    return b.CreateZExt(b.CreateBitCast(half, shaped(half, b.getInt16Ty())), shaped(half, b.getInt32Ty()));
  };
  return b.CreateOr(wide(low), b.CreateShl(wide(high), 16));
}

void emit_half(Emitter& e, const Instruction& instruction, int inputs) {
  auto& b = e.b;
  const PtxType type = instruction.type();
  if (type == PtxType::f16 || type == PtxType::bf16) {
    const llvm::SmallVector<PtxType, 3> types(static_cast<std::size_t>(inputs), type);
    return e.registers.elementwise(instruction, types, type,
                                   [&](Values v) { return computed_half(e, instruction, v); });
  }
  Type* half = type == PtxType::f16x2 ? b.getHalfTy() : b.getBFloatTy();
  const llvm::SmallVector<PtxType, 3> words(static_cast<std::size_t>(inputs), PtxType::b32);
  e.registers.elementwise(instruction, words, PtxType::b32, [&](Values v) {
    Value* made[2] = {};
    for (unsigned part = 0; part < 2; ++part) {
      llvm::SmallVector<Value*, 3> values;
      for (Value* word : v) values.push_back(half_of(e, word, part, half));
      made[part] = computed_half(e, instruction, values);
    }
    return pair_of(e, made[0], made[1]);
  });
}

}  // namespace xcuda::device::cpu
