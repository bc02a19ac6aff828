// Floating point: f32 and f64 with all roundings. Half and bfloat16 are in emit_half.cpp.
//
// Directed rounding on AVX-512 is an operand of the instruction. Elsewhere f32 is computed in f64 and rounded to odd
// before it is rounded as asked, and f64 is a service. LLVM keeps no rounding mode here: all the rest is to nearest.
#include <llvm/IR/IntrinsicsX86.h>

#include "device/cpu/emit/families/families.hpp"

namespace xcuda::device::cpu {

namespace {

bool is_directed(Modifier rounding) {
  return rounding == Modifier::rz || rounding == Modifier::rm || rounding == Modifier::rp;
}

// f32 by way of f64, where products are exact and sums, quotients and roots get a last bit that tells what follows
// it.
Value* directed_f32(Emitter& e, Opcode opcode, Modifier rounding, Values v) {
  auto& b = e.b;
  Type* narrow = v[0]->getType();
  Type* wide = narrow->isVectorTy() ? static_cast<Type*>(e.values.lanes(b.getDoubleTy())) : b.getDoubleTy();
  llvm::SmallVector<Value*, 3> w;
  for (Value* value : v) w.push_back(b.CreateFPExt(value, wide));
  Value *exact = nullptr, *left = nullptr, *right = nullptr;
  switch (opcode) {
    case Opcode::mul: exact = b.CreateFMul(w[0], w[1]); break;
    case Opcode::div: {
      Value* quotient = b.CreateFDiv(w[0], w[1]);
      Value* rest = fused(e, b.CreateFNeg(quotient), w[1], w[0]);
      exact = rounded_to_odd(e, quotient,
                             b.CreateSelect(b.CreateFCmpOLT(w[1], e.values.real(wide, 0)), b.CreateFNeg(rest), rest));
      break;
    }
    case Opcode::sqrt: {
      Value* root = b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, w[0]);
      exact = rounded_to_odd(e, root, fused(e, b.CreateFNeg(root), root, w[0]));
      break;
    }
    case Opcode::fma: left = b.CreateFMul(w[0], w[1]), right = w[2]; break;
    default: left = w[0], right = opcode == Opcode::sub ? b.CreateFNeg(w[1]) : w[1]; break;
  }
  if (left) exact = sum_to_odd(e, left, right);
  Value* near = b.CreateFPTrunc(exact, narrow);
  Value* result = directed(e, rounding, near, b.CreateFSub(exact, b.CreateFPExt(near, wide)));
  if (left && rounding == Modifier::rm) {  // a sum that is zero is -0, but for 0 + 0
    Type* bits = wide->isVectorTy() ? static_cast<Type*>(e.values.lanes(b.getInt64Ty())) : b.getInt64Ty();
    Value* either = b.CreateOr(b.CreateBitCast(left, bits), b.CreateBitCast(right, bits));
    Value* minus = b.CreateAnd(b.CreateFCmpOEQ(exact, e.values.real(wide, 0)),
                               b.CreateICmpSLT(either, e.values.constant(bits, 0)));
    result = b.CreateSelect(minus, e.values.constant(narrow, 0x8000'0000), result);
  }
  return result;
}

// f64 without AVX-512: the processor's rounding mode has to change, which is for the runtime.
Value* directed_f64(Emitter& e, Opcode opcode, Modifier rounding, Values v) {
  auto& b = e.b;
  const bool scalar = !v[0]->getType()->isVectorTy();
  const std::uint32_t which = opcode == Opcode::add    ? 0
                              : opcode == Opcode::sub  ? 1
                              : opcode == Opcode::mul  ? 2
                              : opcode == Opcode::div  ? 3
                              : opcode == Opcode::sqrt ? 4
                                                       : 5;
  const std::uint32_t mode = rounding == Modifier::rm ? 1 : rounding == Modifier::rp ? 2 : 3;
  llvm::SmallVector<Value*, 4> inputs{b.getInt64(which * 4 + mode)};
  for (Value* value : v)
    inputs.push_back(b.CreateBitCast(scalar ? e.values.splat(value) : value, e.values.lanes(b.getInt64Ty())));
  Value* call = e.services.call(Service::directed_f64, inputs, b.getInt32(scalar ? 1 : ~0u), *e.instruction);
  Value* result = b.CreateBitCast(e.services.results(call, b.getInt64Ty()), e.values.lanes(b.getDoubleTy()));
  return scalar ? b.CreateExtractElement(result, std::uint64_t{0}) : result;
}

// AVX-512's embedded rounding: 16 floats or 8 doubles at a time; a scalar is the first of them.
Value* embedded(Emitter& e, Opcode opcode, Modifier rounding, Values values) {
  auto& b = e.b;
  llvm::SmallVector<Value*, 3> v(values.begin(), values.end());
  const bool scalar = !v[0]->getType()->isVectorTy();
  const bool wide = v[0]->getType()->getScalarType()->isDoubleTy();
  const int width = wide ? 8 : 16;
  const std::uint32_t mode = (rounding == Modifier::rm   ? 1u
                              : rounding == Modifier::rp ? 2u
                                                         : 3u) |
                             8u;  // no exceptions
  llvm::Intrinsic::ID id;
  switch (opcode) {
    case Opcode::add:
      id = wide ? llvm::Intrinsic::x86_avx512_add_pd_512 : llvm::Intrinsic::x86_avx512_add_ps_512;
      break;
    case Opcode::sub:
      id = wide ? llvm::Intrinsic::x86_avx512_sub_pd_512 : llvm::Intrinsic::x86_avx512_sub_ps_512;
      break;
    case Opcode::mul:
      id = wide ? llvm::Intrinsic::x86_avx512_mul_pd_512 : llvm::Intrinsic::x86_avx512_mul_ps_512;
      break;
    case Opcode::div:
      id = wide ? llvm::Intrinsic::x86_avx512_div_pd_512 : llvm::Intrinsic::x86_avx512_div_ps_512;
      break;
    case Opcode::sqrt:
      id = wide ? llvm::Intrinsic::x86_avx512_sqrt_pd_512 : llvm::Intrinsic::x86_avx512_sqrt_ps_512;
      break;
    default: id = wide ? llvm::Intrinsic::x86_avx512_vfmadd_pd_512 : llvm::Intrinsic::x86_avx512_vfmadd_ps_512; break;
  }
  if (scalar) {
    Type* one = llvm::FixedVectorType::get(v[0]->getType(), static_cast<unsigned>(width));
    for (Value*& value : v) value = b.CreateInsertElement(e.values.constant(one, 0), value, std::uint64_t{0});
    v.push_back(b.getInt32(mode));
    return b.CreateExtractElement(b.CreateIntrinsic(id, {}, v), std::uint64_t{0});
  }
  llvm::SmallVector<Value*, 4> pieces;
  for (int first = 0; first < 32; first += width) {
    llvm::SmallVector<int, 16> order;
    for (int i = 0; i < width; ++i) order.push_back(first + i);
    llvm::SmallVector<Value*, 4> arguments;
    for (Value* value : v) arguments.push_back(b.CreateShuffleVector(value, order));
    arguments.push_back(b.getInt32(mode));
    pieces.push_back(b.CreateIntrinsic(id, {}, arguments));
  }
  while (pieces.size() > 1) {
    llvm::SmallVector<Value*, 4> joined;
    for (std::size_t i = 0; i < pieces.size(); i += 2) {
      const auto count = static_cast<int>(llvm::cast<llvm::FixedVectorType>(pieces[i]->getType())->getNumElements());
      llvm::SmallVector<int, 32> order;
      for (int k = 0; k < 2 * count; ++k) order.push_back(k);
      joined.push_back(b.CreateShuffleVector(pieces[i], pieces[i + 1], order));
    }
    pieces = joined;
  }
  return pieces[0];
}

Value* nearest(Emitter& e, Opcode opcode, Values v) {
  auto& b = e.b;
  switch (opcode) {
    case Opcode::add: return b.CreateFAdd(v[0], v[1]);
    case Opcode::sub: return b.CreateFSub(v[0], v[1]);
    case Opcode::mul: return b.CreateFMul(v[0], v[1]);
    case Opcode::div: return b.CreateFDiv(v[0], v[1]);
    case Opcode::sqrt: return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, v[0]);
    default: return fused(e, v[0], v[1], v[2]);
  }
}

// The result as the rounding asks; the operands are of one type, f32 or f64.
Value* arithmetic(Emitter& e, Opcode opcode, Modifier rounding, Values v) {
  if (!is_directed(rounding)) return nearest(e, opcode, v);
  if (e.features.avx512) return embedded(e, opcode, rounding, v);
  return v[0]->getType()->getScalarType()->isDoubleTy() ? directed_f64(e, opcode, rounding, v)
                                                        : directed_f32(e, opcode, rounding, v);
}

int input_count(Opcode opcode) {
  switch (opcode) {
    case Opcode::fma:
    case Opcode::mad: return 3;
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::div:
    case Opcode::min:
    case Opcode::max:
    case Opcode::copysign: return 2;
    default: return 1;
  }
}

}  // namespace

// min and max: a NaN loses against a number, -0 is less than +0; .NaN makes a NaN win.
Value* extreme(Emitter& e, const Instruction& instruction, Value* x, Value* y) {
  auto& b = e.b;
  const bool least = instruction.opcode == Opcode::min;
  Type* type = x->getType();
  const unsigned bits = type->getScalarSizeInBits();
  Type* integer = type->isVectorTy() ? static_cast<Type*>(e.values.lanes(e.values.integer(static_cast<int>(bits))))
                                     : e.values.integer(static_cast<int>(bits));
  if (instruction.has(Modifier::abs)) {
    x = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    y = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, y);
  }
  Value* first = least ? b.CreateFCmpOLT(x, y) : b.CreateFCmpOGT(x, y);
  Value* chosen = b.CreateSelect(first, x, y);
  // Equal numbers differ in the sign of zero at most: or keeps a minus, and drops it.
  Value *xi = b.CreateBitCast(x, integer), *yi = b.CreateBitCast(y, integer);
  Value* zero = b.CreateBitCast(least ? b.CreateOr(xi, yi) : b.CreateAnd(xi, yi), type);
  chosen = b.CreateSelect(b.CreateFCmpOEQ(x, y), zero, chosen);
  Value *x_nan = b.CreateFCmpUNO(x, x), *y_nan = b.CreateFCmpUNO(y, y);
  Value* not_a_number = llvm::ConstantFP::getNaN(type);
  if (instruction.has(Modifier::NaN)) return b.CreateSelect(b.CreateOr(x_nan, y_nan), not_a_number, chosen);
  chosen = b.CreateSelect(x_nan, y, b.CreateSelect(y_nan, x, chosen));
  return b.CreateSelect(b.CreateAnd(x_nan, y_nan), not_a_number, chosen);
}

namespace {

Value* copy_sign(Emitter& e, Value* sign, Value* magnitude) {
  return e.b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, sign);
}

// One operation on f32 or f64 values.
Value* compute(Emitter& e, const Instruction& instruction, Values v) {
  auto& b = e.b;
  const Modifier rounding = instruction.find(ptx::Category::rounding);
  Type* type = v[0]->getType();
  const bool approximately = instruction.has(Modifier::approx) || instruction.has(Modifier::full);
  switch (instruction.opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::fma: return arithmetic(e, instruction.opcode, rounding, v);
    case Opcode::mad: return arithmetic(e, Opcode::fma, rounding, v);
    case Opcode::div: return arithmetic(e, Opcode::div, approximately ? Modifier::rn : rounding, v);
    case Opcode::sqrt: return arithmetic(e, Opcode::sqrt, approximately ? Modifier::rn : rounding, v);
    case Opcode::rcp: {
      Value* values[] = {e.values.real(type, 1), v[0]};
      return arithmetic(e, Opcode::div, approximately ? Modifier::rn : rounding, values);
    }
    case Opcode::neg: return b.CreateFNeg(v[0]);
    case Opcode::abs: return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v[0]);
    case Opcode::copysign: return copy_sign(e, v[0], v[1]);
    case Opcode::min:
    case Opcode::max: {
      Value* chosen = extreme(e, instruction, v[0], v[1]);
      if (instruction.has(Modifier::xorsign)) {
        Value* sign =
            b.CreateFMul(copy_sign(e, v[0], e.values.real(type, 1)), copy_sign(e, v[1], e.values.real(type, 1)));
        chosen = copy_sign(e, sign, chosen);
      }
      return chosen;
    }
    default: return approximate(e, instruction, v[0]);
  }
}

}  // namespace

// Operands and result of f32 may be flushed; the value is computed in f32 or f64.
Value* computed(Emitter& e, const Instruction& instruction, Values v) {
  const bool flushes = instruction.has(Modifier::ftz);
  llvm::SmallVector<Value*, 3> values(v.begin(), v.end());
  if (flushes)
    for (Value*& value : values) value = flush(e, value);
  // The approximate functions of f64 see and give the upper half of a number.
  const bool upper = flushes && v[0]->getType()->getScalarType()->isDoubleTy();
  auto cut = [&](Value* value) {
    auto& b = e.b;
    Type* bits = value->getType()->isVectorTy() ? static_cast<Type*>(e.values.lanes(b.getInt64Ty())) : b.getInt64Ty();
    Value* raw = b.CreateAnd(b.CreateBitCast(value, bits), e.values.constant(bits, 0xffff'ffff'0000'0000));
    return b.CreateBitCast(raw, value->getType());
  };
  if (upper)
    for (Value*& value : values) value = cut(value);
  Value* result = compute(e, instruction, values);
  if (upper) result = cut(result);
  if (instruction.opcode == Opcode::div &&
      instruction.has(Modifier::approx)) {  // x / y is x * (1 / y), which is 0 then
    auto& b = e.b;
    Type* type = result->getType();
    Value* size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, values[1]);
    Value* large = b.CreateAnd(b.CreateFCmpOGT(size, e.values.real(type, 0x1p126)),
                               b.CreateFCmpOLT(size, llvm::ConstantFP::getInfinity(type)));
    result = b.CreateSelect(large, b.CreateFMul(values[0], copy_sign(e, values[1], e.values.real(type, 0))), result);
  }
  if (flushes) result = flush(e, result);
  if (instruction.has(Modifier::relu)) {
    Type* type = result->getType();
    Value* positive =
        e.b.CreateSelect(e.b.CreateFCmpOLT(result, e.values.real(type, 0)), e.values.real(type, 0), result);
    result = e.b.CreateSelect(e.b.CreateFCmpUNO(result, result), llvm::ConstantFP::getNaN(type), positive);
  }
  if (instruction.has(Modifier::sat)) result = saturate(e, result);
  return result;
}

// What an instruction has flushed is known to be, as long as it is the same value.
Value* flush(Emitter& e, Value* value) {
  if (e.flushed.contains(value)) return value;
  auto& b = e.b;
  const bool narrow = value->getType()->getScalarType()->isFloatTy();
  Type* bits = narrow ? b.getInt32Ty() : b.getInt64Ty();
  if (value->getType()->isVectorTy()) bits = e.values.lanes(bits);
  Value* raw = b.CreateBitCast(value, bits);
  Value* exponent = b.CreateAnd(raw, e.values.constant(bits, narrow ? 0x7f80'0000 : 0x7ff0'0000'0000'0000));
  Value* zero = b.CreateAnd(raw, e.values.constant(bits, narrow ? 0x8000'0000 : 0x8000'0000'0000'0000));
  Value* tiny = b.CreateICmpEQ(exponent, e.values.constant(bits, 0));
  Value* result = b.CreateBitCast(b.CreateSelect(tiny, zero, raw), value->getType());
  e.flushed.insert(result);
  return result;
}

Value* flush_below(Emitter& e, Value* value, std::uint32_t least) {
  auto& b = e.b;
  Type* type = value->getType();
  Value* magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  Value* tiny = b.CreateFCmpOLT(magnitude, e.values.constant(type, least));
  return b.CreateSelect(tiny, copy_sign(e, value, e.values.real(type, 0)), value);
}

void emit_float(Emitter& e, const Instruction& instruction) {
  const PtxType type = instruction.type();
  const int inputs = input_count(instruction.opcode);
  const llvm::SmallVector<PtxType, 3> types(static_cast<std::size_t>(inputs), type);
  switch (type) {
    case PtxType::f32:
    case PtxType::f64:
      return e.registers.elementwise(instruction, types, type, [&](Values v) { return computed(e, instruction, v); });
    case PtxType::f16:
    case PtxType::bf16:
    case PtxType::f16x2:
    case PtxType::bf16x2: return emit_half(e, instruction, inputs);
    default: e.not_refused(instruction);
  }
}

}  // namespace xcuda::device::cpu
