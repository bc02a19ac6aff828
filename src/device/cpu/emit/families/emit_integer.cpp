// Integer arithmetic.
#include <llvm/IR/PatternMatch.h>

#include <utility>

#include "device/cpu/emit/families/families.hpp"

namespace xcuda::device::cpu {

namespace {

Type* with_bits(Emitter& e, Value* like, unsigned bits) {
  Type* type = e.values.integer(static_cast<int>(bits));
  auto* vector = llvm::dyn_cast<llvm::VectorType>(like->getType());
  return vector ? llvm::VectorType::get(type, vector->getElementCount()) : type;
}

Value* widen(Emitter& e, Value* value, Signedness sign) {
  Type* wide = with_bits(e, value, 2 * value->getType()->getScalarSizeInBits());
  return is_signed(sign) ? e.b.CreateSExt(value, wide) : e.b.CreateZExt(value, wide);
}

// LLVM would do so for full code only, and no multiplication of 64 bits is short.
Value* product(Emitter& e, Value* x, Value* y) {
  const llvm::APInt* factor = nullptr;
  if (llvm::PatternMatch::match(x, llvm::PatternMatch::m_Power2(factor))) std::swap(x, y);
  if (llvm::PatternMatch::match(y, llvm::PatternMatch::m_Power2(factor))) return e.b.CreateShl(x, factor->logBase2());
  return e.b.CreateMul(x, y);
}

Value* with_sign(Emitter& e, Value* high, Value* x, Value* y) {
  auto& b = e.b;
  const unsigned sign = x->getType()->getScalarSizeInBits() - 1;
  high = b.CreateSub(high, b.CreateAnd(b.CreateAShr(x, sign), y));
  return b.CreateSub(high, b.CreateAnd(b.CreateAShr(y, sign), x));
}

// Of 32 bits, as AVX2 multiplies: the even lanes, then the odd ones, each in 64 bits.
Value* multiply_high_by_pairs(Emitter& e, Value* x, Value* y, Signedness sign) {
  auto& b = e.b;
  Type* pairs = e.values.lanes(b.getInt64Ty(), 16);
  const auto even = [&](Value* v) { return b.CreateAnd(b.CreateBitCast(v, pairs), 0xffff'ffff); };
  const auto odd = [&](Value* v) { return b.CreateLShr(b.CreateBitCast(v, pairs), 32); };
  Value* evens = b.CreateLShr(b.CreateMul(even(x), even(y)), 32);
  Value* odds = b.CreateAnd(b.CreateMul(odd(x), odd(y)), 0xffff'ffff'0000'0000);
  Value* high = b.CreateBitCast(b.CreateOr(evens, odds), x->getType());
  return is_signed(sign) ? with_sign(e, high, x, y) : high;
}

// The upper half of a product. 64 bits by halves of 32: no vector unit has more.
Value* multiply_high(Emitter& e, Value* x, Value* y, Signedness sign) {
  auto& b = e.b;
  Type* type = x->getType();
  const unsigned bits = type->getScalarSizeInBits();
  if (bits == 32 && type->isVectorTy() && !e.features.avx512 && e.code.tier == Tier::quick)
    return multiply_high_by_pairs(e, x, y, sign);
  if (bits < 64 || !type->isVectorTy()) {
    Value* product = b.CreateMul(widen(e, x, sign), widen(e, y, sign));
    return b.CreateTrunc(b.CreateLShr(product, bits), type);
  }
  Value *low = e.values.constant(type, 0xffff'ffff), *half = e.values.constant(type, 32);
  Value *x0 = b.CreateAnd(x, low), *x1 = b.CreateLShr(x, half), *y0 = b.CreateAnd(y, low), *y1 = b.CreateLShr(y, half);
  Value* middle = b.CreateAdd(b.CreateMul(x1, y0), b.CreateLShr(b.CreateMul(x0, y0), half));
  Value* carry = b.CreateAdd(b.CreateMul(x0, y1), b.CreateAnd(middle, low));
  Value* high = b.CreateAdd(b.CreateAdd(b.CreateMul(x1, y1), b.CreateLShr(middle, half)), b.CreateLShr(carry, half));
  return is_signed(sign) ? with_sign(e, high, x, y) : high;
}

// mul, mad and their kin: lo, hi or wide.
Value* multiply(Emitter& e, const Instruction& instruction, Value* x, Value* y) {
  const auto sign = ptx::signedness(instruction.type());
  if (instruction.has(Modifier::wide)) return product(e, widen(e, x, sign), widen(e, y, sign));
  if (instruction.has(Modifier::hi)) return multiply_high(e, x, y, sign);
  return product(e, x, y);
}

PtxType product_type(const Instruction& instruction) {
  if (!instruction.has(Modifier::wide)) return instruction.type();
  switch (instruction.type()) {
    case PtxType::u16: return PtxType::u32;
    case PtxType::s16: return PtxType::s32;
    case PtxType::u32: return PtxType::u64;
    case PtxType::s32: return PtxType::s64;
    default: return PtxType::b128;
  }
}

Value* multiply24(Emitter& e, const Instruction& instruction, Value* x, Value* y) {
  auto& b = e.b;
  const auto sign = ptx::signedness(instruction.type());
  Type* type = x->getType();
  auto cut = [&](Value* v) {
    v = b.CreateShl(v, 8);
    return widen(e, is_signed(sign) ? b.CreateAShr(v, 8) : b.CreateLShr(v, 8), sign);
  };
  Value* product = b.CreateMul(cut(x), cut(y));
  return b.CreateTrunc(instruction.has(Modifier::hi) ? b.CreateLShr(product, 16) : product, type);
}

// dp4a.atype.btype, dp2a.{lo,hi}.atype.btype: a, b, c.
Value* dot(Emitter& e, const Instruction& instruction, Values v) {
  auto& b = e.b;
  Type* type = v[0]->getType();
  auto part = [&](Value* word, unsigned index, unsigned bits, Signedness sign) {
    Value* up = b.CreateShl(word, e.values.constant(type, 32 - bits * (index + 1)));
    Value* by = e.values.constant(type, 32 - bits);
    return is_signed(sign) ? b.CreateAShr(up, by) : b.CreateLShr(up, by);
  };
  const auto a_sign = ptx::signedness(instruction.types[0]), b_sign = ptx::signedness(instruction.types[1]);
  const bool four = instruction.opcode == Opcode::dp4a;
  const unsigned first = instruction.has(Modifier::hi) ? 2 : 0;
  Value* sum = v[2];
  for (unsigned i = 0; i < (four ? 4u : 2u); ++i)
    sum = b.CreateAdd(sum, b.CreateMul(part(v[0], i, four ? 8 : 16, a_sign), part(v[1], first + i, 8, b_sign)));
  return sum;
}

// Chains of add.cc, addc, ...: the carry is a register per lane that the text does not name.
void chain(Emitter& e, const Instruction& instruction) {
  auto& b = e.b;
  const auto operands = e.operands(instruction);
  const PtxType type = instruction.type();
  const bool subtracts = instruction.opcode == Opcode::sub || instruction.opcode == Opcode::subc;
  const bool takes =
      instruction.opcode == Opcode::addc || instruction.opcode == Opcode::subc || instruction.opcode == Opcode::madc;
  const bool multiplies = instruction.opcode == Opcode::mad || instruction.opcode == Opcode::madc;
  Value* x = e.registers.read_vector(operands[1], type);
  Value* y = e.registers.read_vector(operands[2], type);
  if (multiplies) {
    x = multiply(e, instruction, x, y);
    y = e.registers.read_vector(operands[3], type);
  }
  auto step = [&](Value* a, Value* c, Value*& carry) {
    Value* both = b.CreateBinaryIntrinsic(llvm::Intrinsic::uadd_with_overflow, a, c);
    Value* out = b.CreateExtractValue(both, 1);
    carry = carry ? b.CreateOr(carry, out) : out;
    return b.CreateExtractValue(both, 0);
  };
  // x - y is x + ~y + 1, so that the carry of a difference says that nothing was borrowed: addc after subc.cc sees
  // that.
  if (subtracts) y = b.CreateNot(y);
  Value* carry = nullptr;
  Value* result = step(x, y, carry);
  if (takes)
    result = step(result, b.CreateZExt(e.masks.carry(), result->getType()), carry);
  else if (subtracts)
    result = step(result, e.values.constant(result->getType(), 1), carry);
  e.registers.write(operands[0], e.values.varying(result), type);
  if (instruction.has(Modifier::cc)) e.masks.set_carry(carry);
}

// The quotient of 32-bit numbers through double: exact, because the remainder is seen at 2^-32.
Value* divide_vector(Emitter& e, Value* x, Value* y, Signedness sign) {
  auto& b = e.b;
  Type* type = x->getType();
  Value* zero = e.values.constant(type, 0);
  Value* nothing = b.CreateICmpEQ(y, zero);
  Value *ax = x, *ay = b.CreateSelect(nothing, e.values.constant(type, 1), y);
  if (is_signed(sign)) {
    ax = b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, ax, b.getFalse());
    ay = b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, ay, b.getFalse());
  }
  Type* wide = e.values.lanes(b.getDoubleTy());
  Value* quotient = b.CreateFPToUI(b.CreateFDiv(b.CreateUIToFP(ax, wide), b.CreateUIToFP(ay, wide)), type);
  if (is_signed(sign))
    quotient = b.CreateSelect(b.CreateICmpSLT(b.CreateXor(x, y), zero), b.CreateNeg(quotient), quotient);
  return b.CreateSelect(nothing, e.values.constant(type, ~std::uint64_t{0}), quotient);
}

// 64 bits, lane by lane: there is no vector instruction.
Value* divide_lanes(Emitter& e, Value* x, Value* y, Signedness sign) {
  auto& b = e.b;
  Type* element = x->getType()->getScalarType();
  Value *xs = e.slots.spill(x), *ys = e.slots.spill(y), *out = e.slots.spill(x);
  e.masks.each_lane(e.masks.active_mask(), [&](Value* lane) {
    Value* a = b.CreateLoad(element, e.slots.lane_slot(xs, element, lane));
    Value* c = b.CreateLoad(element, e.slots.lane_slot(ys, element, lane));
    b.CreateStore(divide(e, a, c, sign), e.slots.lane_slot(out, element, lane));
  });
  return b.CreateAlignedLoad(x->getType(), out, llvm::Align(64));
}

bool is_nonzero_constant(Value* value) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  if (constant && constant->getType()->isVectorTy()) constant = constant->getSplatValue();
  auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant);
  return number && !number->isZero() && !number->isMinusOne();
}

}  // namespace

Value* divide(Emitter& e, Value* x, Value* y, Signedness sign) {
  auto& b = e.b;
  Type* type = x->getType();
  if (is_nonzero_constant(y)) return is_signed(sign) ? b.CreateSDiv(x, y) : b.CreateUDiv(x, y);
  const unsigned bits = type->getScalarSizeInBits();
  if (type->isVectorTy()) {
    if (bits == 64) return divide_lanes(e, x, y, sign);
    if (bits == 32) return divide_vector(e, x, y, sign);
    return b.CreateTrunc(
        divide_vector(e, is_signed(sign) ? b.CreateSExt(x, with_bits(e, x, 32)) : b.CreateZExt(x, with_bits(e, x, 32)),
                      is_signed(sign) ? b.CreateSExt(y, with_bits(e, y, 32)) : b.CreateZExt(y, with_bits(e, y, 32)),
                      sign),
        type);
  }
  Value* nothing = b.CreateICmpEQ(y, e.values.constant(type, 0));
  Value *ax = x, *ay = b.CreateSelect(nothing, e.values.constant(type, 1), y);
  Value* quotient = nullptr;
  if (is_signed(sign)) {  // the least number by -1 wraps, it does not trap
    ax = b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, ax, b.getFalse());
    ay = b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, ay, b.getFalse());
    quotient = b.CreateUDiv(ax, ay);
    quotient =
        b.CreateSelect(b.CreateICmpSLT(b.CreateXor(x, y), e.values.constant(type, 0)), b.CreateNeg(quotient), quotient);
  } else {
    quotient = b.CreateUDiv(ax, ay);
  }
  return b.CreateSelect(nothing, e.values.constant(type, ~std::uint64_t{0}), quotient);
}

void emit_integer(Emitter& e, const Instruction& instruction) {
  auto& b = e.b;
  const PtxType type = instruction.type();
  const auto sign = ptx::signedness(type);
  auto run = [&](std::initializer_list<PtxType> types, PtxType result, const Make& make) {
    e.registers.elementwise(instruction, std::span(types.begin(), types.size()), result, make);
  };
  const Opcode opcode = instruction.opcode;
  if (instruction.has(Modifier::cc) || opcode == Opcode::addc || opcode == Opcode::subc || opcode == Opcode::madc)
    return chain(e, instruction);
  if (e.registers.write_delayed(instruction)) return;
  switch (opcode) {
    case Opcode::add:
    case Opcode::sub:
      return run({type, type}, type, [&](Values v) -> Value* {
        const bool adds = opcode == Opcode::add;
        if (instruction.has(Modifier::sat))
          return b.CreateBinaryIntrinsic(adds ? llvm::Intrinsic::sadd_sat : llvm::Intrinsic::ssub_sat, v[0], v[1]);
        return adds ? b.CreateAdd(v[0], v[1]) : b.CreateSub(v[0], v[1]);
      });
    case Opcode::mul:
      return run({type, type}, product_type(instruction),
                 [&](Values v) { return multiply(e, instruction, v[0], v[1]); });
    case Opcode::mad:
      return run({type, type, product_type(instruction)}, product_type(instruction), [&](Values v) -> Value* {
        Value* product = multiply(e, instruction, v[0], v[1]);
        if (instruction.has(Modifier::sat)) return b.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, product, v[2]);
        return b.CreateAdd(product, v[2]);
      });
    case Opcode::mul24:
      return run({type, type}, type, [&](Values v) { return multiply24(e, instruction, v[0], v[1]); });
    case Opcode::mad24:
      return run({type, type, type}, type, [&](Values v) -> Value* {
        Value* product = multiply24(e, instruction, v[0], v[1]);
        if (instruction.has(Modifier::sat)) return b.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, product, v[2]);
        return b.CreateAdd(product, v[2]);
      });
    case Opcode::div: return run({type, type}, type, [&](Values v) { return divide(e, v[0], v[1], sign); });
    case Opcode::rem:
      return run({type, type}, type, [&](Values v) -> Value* {
        // x % 0 is all ones, as x / 0 is.
        Value* quotient = divide(e, v[0], v[1], sign);
        Value* rest = b.CreateSub(v[0], b.CreateMul(quotient, v[1]));
        Value* zero = e.values.constant(rest->getType(), 0);
        return b.CreateSelect(b.CreateICmpEQ(v[1], zero), e.values.constant(rest->getType(), ~std::uint64_t{0}), rest);
      });
    case Opcode::neg: return run({type}, type, [&](Values v) { return b.CreateNeg(v[0]); });
    case Opcode::abs:
      return run({type}, type,
                 [&](Values v) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, v[0], b.getFalse()); });
    case Opcode::min:
    case Opcode::max: {
      const auto id = opcode == Opcode::min ? (is_signed(sign) ? llvm::Intrinsic::smin : llvm::Intrinsic::umin)
                                            : (is_signed(sign) ? llvm::Intrinsic::smax : llvm::Intrinsic::umax);
      return run({type, type}, type, [&](Values v) -> Value* {
        Value* chosen = b.CreateBinaryIntrinsic(id, v[0], v[1]);
        if (instruction.has(Modifier::relu))
          chosen = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, chosen, e.values.constant(chosen->getType(), 0));
        return chosen;
      });
    }
    case Opcode::sad:
      return run({type, type, type}, type, [&](Values v) -> Value* {
        Value* less = is_signed(sign) ? b.CreateICmpSLT(v[0], v[1]) : b.CreateICmpULT(v[0], v[1]);
        return b.CreateAdd(v[2], b.CreateSelect(less, b.CreateSub(v[1], v[0]), b.CreateSub(v[0], v[1])));
      });
    case Opcode::dp4a:
    case Opcode::dp2a:
      return run({PtxType::b32, PtxType::b32, PtxType::b32}, PtxType::b32,
                 [&](Values v) { return dot(e, instruction, v); });
    default: e.not_refused(instruction);
  }
}

}  // namespace xcuda::device::cpu
