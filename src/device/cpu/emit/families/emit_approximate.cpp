// The approximate functions of f32, within the errors that the PTX ISA states (section 9.7.3): ex2 and lg2 2^-22, sin
// and cos 2^-20.5 absolute in [-2 pi, 2 pi], rsqrt 2^-22.9, tanh 2^-11. Polynomials are minimax fits on the reduced
// range.
#include <llvm/IR/IntrinsicsX86.h>

#include <numbers>

#include "device/cpu/emit/families/families.hpp"

namespace xcuda::device::cpu {

namespace {

Value* polynomial(Emitter& e, Value* x, std::initializer_list<double> from_highest) {
  Value* sum = nullptr;
  for (double coefficient : from_highest) {
    Value* next = e.values.real(x->getType(), coefficient);
    sum = sum ? fused(e, sum, x, next) : next;
  }
  return sum;
}

Type* integers(Emitter& e, Value* like) {
  return like->getType()->isVectorTy() ? static_cast<Type*>(e.values.lanes(e.b.getInt32Ty())) : e.b.getInt32Ty();
}

// 2^x = 2^n * 2^f, f in [-1/2, 1/2]. Scaled in two steps, so that subnormal results are right.
Value* exponential(Emitter& e, Value* x) {
  auto& b = e.b;
  Type *type = x->getType(), *word = integers(e, x);
  // Beyond these the result is 0 or infinity; also keeps the integer in range. NaN stays NaN in f.
  Value* low = b.CreateSelect(b.CreateFCmpOLT(x, e.values.real(type, -160)), e.values.real(type, -160), x);
  Value* clamped = b.CreateSelect(b.CreateFCmpOGT(low, e.values.real(type, 160)), e.values.real(type, 160), low);
  Value* n = b.CreateUnaryIntrinsic(llvm::Intrinsic::rint, clamped);
  Value* f = b.CreateFSub(clamped, n);
  Value* p = polynomial(e, f,
                        {1.5403530393381609954e-4, 1.3333558146428443423e-3, 9.6181291076284771619e-3,
                         5.5504108664821579953e-2, 2.4022650695910071233e-1, 6.9314718055994530942e-1, 1.0});
  Value* whole = b.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {word, type}, {n});
  Value* half = b.CreateAShr(whole, 1);
  auto power = [&](Value* k) {
    return b.CreateBitCast(b.CreateShl(b.CreateAdd(k, e.values.constant(word, 127)), 23), type);
  };
  return b.CreateFMul(b.CreateFMul(p, power(half)), power(b.CreateSub(whole, half)));
}

// log2 x = n + log2 m, m in [sqrt(1/2), sqrt 2].
Value* logarithm(Emitter& e, Value* x) {
  auto& b = e.b;
  Type *type = x->getType(), *word = integers(e, x);
  Value* tiny = b.CreateFCmpOLT(x, e.values.constant(type, 0x0080'0000));
  Value* normal = b.CreateSelect(tiny, b.CreateFMul(x, e.values.real(type, 8388608.0)), x);
  Value* raw = b.CreateSub(b.CreateBitCast(normal, word), e.values.constant(word, 0x3f35'04f3));  // sqrt(1/2)
  Value* n = b.CreateAShr(raw, 23);
  Value* m = b.CreateBitCast(
      b.CreateAdd(b.CreateAnd(raw, e.values.constant(word, 0x007f'ffff)), e.values.constant(word, 0x3f35'04f3)), type);
  Value* exponent =
      b.CreateFSub(b.CreateSIToFP(n, type), b.CreateSelect(tiny, e.values.real(type, 23), e.values.real(type, 0)));
  // log2 m = 2/ln 2 * artanh(s), s = (m - 1) / (m + 1), |s| < 0.172
  Value* s = b.CreateFDiv(b.CreateFSub(m, e.values.real(type, 1)), b.CreateFAdd(m, e.values.real(type, 1)));
  Value* s2 = b.CreateFMul(s, s);
  constexpr double scale = 2 / std::numbers::ln2;
  Value* p = polynomial(e, s2, {scale / 9, scale / 7, scale / 5, scale / 3, scale});
  Value* result = fused(e, s, p, exponent);
  Value *zero = e.values.real(type, 0), *infinity = llvm::ConstantFP::getInfinity(type);
  result = b.CreateSelect(b.CreateFCmpOEQ(x, infinity), infinity, result);
  result = b.CreateSelect(b.CreateFCmpOEQ(x, zero), llvm::ConstantFP::getInfinity(type, true), result);
  return b.CreateSelect(b.CreateFCmpULT(x, zero), llvm::ConstantFP::getNaN(type), result);
}

// sin and cos by quadrants; pi/2 in three parts, so that some thousand turns keep the error.
Value* sine(Emitter& e, Opcode opcode, Value* x) {
  auto& b = e.b;
  Type *type = x->getType(), *word = integers(e, x);
  Value* turns =
      b.CreateUnaryIntrinsic(llvm::Intrinsic::rint, b.CreateFMul(x, e.values.real(type, 2 / std::numbers::pi)));
  Value* negative = b.CreateFNeg(turns);
  Value* r = fused(e, negative, e.values.constant(type, 0x3fc9'0fda), x);  // the digits of pi/2, 24 at a time
  r = fused(e, negative, e.values.constant(type, 0x33a2'2168), r);
  r = fused(e, negative, e.values.constant(type, 0x27c2'34c4), r);
  Value* quadrant = b.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {word, type}, {turns});
  if (opcode == Opcode::cos) quadrant = b.CreateAdd(quadrant, e.values.constant(word, 1));
  Value* r2 = b.CreateFMul(r, r);
  Value* odd = fused(
      e, b.CreateFMul(r, r2),
      polynomial(e, r2, {2.7183114939898219e-6, -1.9839334836096632e-4, 8.3333293858894632e-3, -1.6666666641626524e-1}),
      r);
  Value* even = polynomial(
      e, r2, {2.4390448796277409e-5, -1.3886763774609929e-3, 4.1666623323739063e-2, -4.9999999725103100e-1, 1.0});
  Value* swap = b.CreateICmpNE(b.CreateAnd(quadrant, e.values.constant(word, 1)), e.values.constant(word, 0));
  Value* value = b.CreateBitCast(b.CreateSelect(swap, even, odd), word);
  Value* sign = b.CreateShl(b.CreateAnd(quadrant, e.values.constant(word, 2)), 30);
  return b.CreateBitCast(b.CreateXor(value, sign), type);  // infinity: r is NaN
}

// tanh x = 1 - 2 / (e^2x + 1); near 0 the series.
Value* hyperbolic_tangent(Emitter& e, Value* x) {
  auto& b = e.b;
  Type* type = x->getType();
  Value* size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  Value* power = exponential(e, b.CreateFMul(size, e.values.real(type, 2 / std::numbers::ln2)));
  Value* far = b.CreateFSub(e.values.real(type, 1),
                            b.CreateFDiv(e.values.real(type, 2), b.CreateFAdd(power, e.values.real(type, 1))));
  Value* x2 = b.CreateFMul(x, x);
  Value* near = b.CreateFMul(size, polynomial(e, x2, {-17.0 / 315, 2.0 / 15, -1.0 / 3, 1}));
  Value* result = b.CreateSelect(b.CreateFCmpOLT(size, e.values.real(type, 0.25)), near, far);
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);
}

}  // namespace

Value* reciprocal_root(Emitter& e, Value* x) {
  auto& b = e.b;
  Type* type = x->getType();
  if (!e.features.avx512 || !type->isVectorTy())
    return b.CreateFDiv(e.values.real(type, 1), b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
  // 14 bits from the processor and one step of Newton.
  llvm::SmallVector<Value*, 2> halves;
  for (int first : {0, 16}) {
    llvm::SmallVector<int, 16> order;
    for (int i = 0; i < 16; ++i) order.push_back(first + i);
    Value* piece = b.CreateShuffleVector(x, order);
    halves.push_back(b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_rsqrt14_ps_512, {},
                                       {piece, e.values.real(piece->getType(), 0), b.getInt16(0xffff)}));
  }
  llvm::SmallVector<int, 32> all;
  for (int i = 0; i < 32; ++i) all.push_back(i);
  Value* y = b.CreateShuffleVector(halves[0], halves[1], all);
  Value* error = fused(e, b.CreateFNeg(b.CreateFMul(x, y)), y, e.values.real(type, 1));
  // Kernels that want this wait for the units that multiply and compare, so the rest is done elsewhere: y / 2 by its
  // exponent, not below 0. Where y is 0 or infinite the error is NaN and becomes -1, and y - y / 2 is y.
  Value* least = e.values.real(type, -1);
  Value* bounded = b.CreateSelect(b.CreateFCmpOGT(error, least), error, least);
  Type* words = integers(e, y);
  Value* half = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax,
                                        b.CreateSub(b.CreateBitCast(y, words), e.values.constant(words, 1U << 23)),
                                        e.values.constant(words, 0));
  return fused(e, b.CreateBitCast(half, type), bounded, y);
}

Value* approximate(Emitter& e, const Instruction& instruction, Value* x) {
  auto& b = e.b;
  const bool wide = x->getType()->getScalarType()->isDoubleTy();
  if (wide)  // rsqrt
    return b.CreateFDiv(e.values.real(x->getType(), 1), b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
  switch (instruction.opcode) {
    case Opcode::rsqrt: return reciprocal_root(e, x);
    case Opcode::ex2: return exponential(e, x);
    case Opcode::lg2: return logarithm(e, x);
    case Opcode::sin:
    case Opcode::cos: return sine(e, instruction.opcode, x);
    case Opcode::tanh: return hyperbolic_tangent(e, x);
    default: e.not_refused(instruction);
  }
}

}  // namespace xcuda::device::cpu
