// Floating point: f32 and f64 with all roundings. Half and bfloat16 are in emit_half.cpp.
//
// Directed rounding on AVX-512 is an operand of the instruction; elsewhere the result to nearest is corrected by the
// sign of its exact error. LLVM keeps no rounding mode here: everything else is to nearest.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "device/cpu/emitter.hpp"

namespace xcuda::device::cpu {

using llvm::Type;
using llvm::Value;
using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using PtxType = ptx::Type;
using Values = std::span<Value* const>;

namespace {

bool is_directed(Modifier rounding) { return rounding == Modifier::rz || rounding == Modifier::rm || rounding == Modifier::rp; }

Value* fused(Emitter& e, Value* x, Value* y, Value* z) {
  return e.b().CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
}

// The sign of x * y + z - near, in the type of the operands, for f32: exact in double but for the last addition,
// whose own error is known exactly.
Value* error_of_fused_f32(Emitter& e, Value* x, Value* y, Value* z, Value* near) {
  auto& b = e.b();
  Type* wide = near->getType()->isVectorTy() ? e.lanes(b.getDoubleTy()) : b.getDoubleTy();
  auto w = [&](Value* v) { return b.CreateFPExt(v, wide); };
  Value *product = b.CreateFMul(w(x), w(y)), *addend = w(z);
  Value* sum = b.CreateFAdd(product, addend);
  Value* back = b.CreateFSub(sum, product);
  Value* lost = b.CreateFAdd(b.CreateFSub(product, b.CreateFSub(sum, back)), b.CreateFSub(addend, back));
  Value* error = b.CreateFSub(sum, w(near));
  return b.CreateSelect(b.CreateFCmpOEQ(error, e.real(wide, 0)), lost, error);
}

// The same for f64 (Boldo and Muller, "Exact and approximated error of the FMA", 2011).
Value* error_of_fused_f64(Emitter& e, Value* x, Value* y, Value* z, Value* near) {
  auto& b = e.b();
  auto two_sum = [&](Value* p, Value* q, Value*& low) {
    Value* s = b.CreateFAdd(p, q);
    Value* t = b.CreateFSub(s, p);
    low = b.CreateFAdd(b.CreateFSub(p, b.CreateFSub(s, t)), b.CreateFSub(q, t));
    return s;
  };
  Value* high = b.CreateFMul(x, y);
  Value* low = fused(e, x, y, b.CreateFNeg(high));
  Value *low_z = nullptr, *low_h = nullptr;
  Value* sum_z = two_sum(z, low, low_z);
  Value* sum_h = two_sum(high, sum_z, low_h);
  Value* gamma = b.CreateFAdd(b.CreateFSub(sum_h, near), low_h);
  return b.CreateFAdd(gamma, low_z);
}

// AVX-512's embedded rounding: 16 floats or 8 doubles at a time.
Value* embedded(Emitter& e, Opcode opcode, Modifier rounding, Values v) {
  auto& b = e.b();
  const bool wide = v[0]->getType()->getScalarType()->isDoubleTy();
  const int width = wide ? 8 : 16;
  const std::uint32_t mode = (rounding == Modifier::rm ? 1u : rounding == Modifier::rp ? 2u : 3u) | 8u;  // no exceptions
  llvm::Intrinsic::ID id;
  switch (opcode) {
    case Opcode::add: id = wide ? llvm::Intrinsic::x86_avx512_add_pd_512 : llvm::Intrinsic::x86_avx512_add_ps_512; break;
    case Opcode::sub: id = wide ? llvm::Intrinsic::x86_avx512_sub_pd_512 : llvm::Intrinsic::x86_avx512_sub_ps_512; break;
    case Opcode::mul: id = wide ? llvm::Intrinsic::x86_avx512_mul_pd_512 : llvm::Intrinsic::x86_avx512_mul_ps_512; break;
    case Opcode::div: id = wide ? llvm::Intrinsic::x86_avx512_div_pd_512 : llvm::Intrinsic::x86_avx512_div_ps_512; break;
    case Opcode::sqrt: id = wide ? llvm::Intrinsic::x86_avx512_sqrt_pd_512 : llvm::Intrinsic::x86_avx512_sqrt_ps_512; break;
    default: id = wide ? llvm::Intrinsic::x86_avx512_vfmadd_pd_512 : llvm::Intrinsic::x86_avx512_vfmadd_ps_512; break;
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
  auto& b = e.b();
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
  auto& b = e.b();
  if (!is_directed(rounding)) return nearest(e, opcode, v);
  const bool wide = v[0]->getType()->getScalarType()->isDoubleTy();
  if (e.features().avx512 && v[0]->getType()->isVectorTy()) return embedded(e, opcode, rounding, v);
  Value* near = nearest(e, opcode, v);
  Type* type = near->getType();
  auto fused_error = [&](Value* x, Value* y, Value* z) {
    return wide ? error_of_fused_f64(e, x, y, z, near) : error_of_fused_f32(e, x, y, z, near);
  };
  Value *one = e.real(type, 1), *error = nullptr;
  switch (opcode) {
    case Opcode::add: error = fused_error(v[0], one, v[1]); break;
    case Opcode::sub: error = fused_error(v[0], one, b.CreateFNeg(v[1])); break;
    case Opcode::mul: error = fused(e, v[0], v[1], b.CreateFNeg(near)); break;
    case Opcode::div: {  // (x - near * y) / y
      Value* rest = fused(e, b.CreateFNeg(near), v[1], v[0]);
      error = b.CreateSelect(b.CreateFCmpOLT(v[1], e.real(type, 0)), b.CreateFNeg(rest), rest);
      break;
    }
    case Opcode::sqrt: error = fused(e, b.CreateFNeg(near), near, v[0]); break;
    default: error = fused_error(v[0], v[1], v[2]); break;
  }
  return directed(e, rounding, near, error);
}

int input_count(Opcode opcode) {
  switch (opcode) {
    case Opcode::fma: case Opcode::mad: return 3;
    case Opcode::add: case Opcode::sub: case Opcode::mul: case Opcode::div: case Opcode::min: case Opcode::max: case Opcode::copysign: return 2;
    default: return 1;
  }
}

}  // namespace

// min and max: a NaN loses against a number, -0 is less than +0; .NaN makes a NaN win.
Value* extreme(Emitter& e, const Instruction& instruction, Value* x, Value* y) {
  auto& b = e.b();
  const bool least = instruction.opcode == Opcode::min;
  Type* type = x->getType();
  const unsigned bits = type->getScalarSizeInBits();
  Type* integer = type->isVectorTy() ? static_cast<Type*>(e.lanes(e.integer(static_cast<int>(bits)))) : e.integer(static_cast<int>(bits));
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
  if (instruction.has(Modifier::nan)) return b.CreateSelect(b.CreateOr(x_nan, y_nan), not_a_number, chosen);
  chosen = b.CreateSelect(x_nan, y, b.CreateSelect(y_nan, x, chosen));
  return b.CreateSelect(b.CreateAnd(x_nan, y_nan), not_a_number, chosen);
}

namespace {

Value* copy_sign(Emitter& e, Value* sign, Value* magnitude) {
  return e.b().CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, sign);
}

// One operation on f32 or f64 values.
Value* compute(Emitter& e, const Instruction& instruction, Values v) {
  auto& b = e.b();
  const Modifier rounding = instruction.find(ptx::Category::rounding);
  Type* type = v[0]->getType();
  const bool approximately = instruction.has(Modifier::approx) || instruction.has(Modifier::full);
  switch (instruction.opcode) {
    case Opcode::add: case Opcode::sub: case Opcode::mul: case Opcode::fma: return arithmetic(e, instruction.opcode, rounding, v);
    case Opcode::mad: return arithmetic(e, Opcode::fma, rounding, v);
    case Opcode::div: return arithmetic(e, Opcode::div, approximately ? Modifier::rn : rounding, v);
    case Opcode::sqrt: return arithmetic(e, Opcode::sqrt, approximately ? Modifier::rn : rounding, v);
    case Opcode::rcp: {
      Value* values[] = {e.real(type, 1), v[0]};
      return arithmetic(e, Opcode::div, approximately ? Modifier::rn : rounding, values);
    }
    case Opcode::neg: return b.CreateFNeg(v[0]);
    case Opcode::abs: return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v[0]);
    case Opcode::copysign: return copy_sign(e, v[0], v[1]);
    case Opcode::min: case Opcode::max: {
      Value* chosen = extreme(e, instruction, v[0], v[1]);
      if (instruction.has(Modifier::xorsign)) {
        Value* sign = b.CreateFMul(copy_sign(e, v[0], e.real(type, 1)), copy_sign(e, v[1], e.real(type, 1)));
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
  const bool flushes = instruction.has(Modifier::ftz) && v[0]->getType()->getScalarType()->isFloatTy();
  llvm::SmallVector<Value*, 3> values(v.begin(), v.end());
  if (flushes)
    for (Value*& value : values) value = flush(e, value);
  Value* result = compute(e, instruction, values);
  if (flushes) result = flush(e, result);
  if (instruction.has(Modifier::relu)) {
    Type* type = result->getType();
    Value* positive = e.b().CreateSelect(e.b().CreateFCmpOLT(result, e.real(type, 0)), e.real(type, 0), result);
    result = e.b().CreateSelect(e.b().CreateFCmpUNO(result, result), llvm::ConstantFP::getNaN(type), positive);
  }
  if (instruction.has(Modifier::sat)) result = saturate(e, result);
  return result;
}

Value* flush(Emitter& e, Value* value) { return flush_below(e, value, 0x0080'0000); }

Value* flush_below(Emitter& e, Value* value, std::uint32_t least) {
  auto& b = e.b();
  Type* type = value->getType();
  Value* magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  Value* tiny = b.CreateFCmpOLT(magnitude, e.constant(type, least));
  return b.CreateSelect(tiny, copy_sign(e, value, e.real(type, 0)), value);
}

void emit_float(Emitter& e, const Instruction& instruction) {
  const PtxType type = instruction.type();
  const int inputs = input_count(instruction.opcode);
  const llvm::SmallVector<PtxType, 3> types(static_cast<std::size_t>(inputs), type);
  switch (type) {
    case PtxType::f32: case PtxType::f64:
      return e.elementwise(instruction, types, type, [&](Values v) { return computed(e, instruction, v); });
    case PtxType::f16: case PtxType::bf16: case PtxType::f16x2: case PtxType::bf16x2: return emit_half(e, instruction, inputs);
    default: e.unsupported(instruction);
  }
}

}  // namespace xcuda::device::cpu
