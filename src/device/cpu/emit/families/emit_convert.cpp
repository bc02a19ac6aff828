// cvt: all pairs of types, rounding, saturation.
#include "device/cpu/emit/families/families.hpp"

namespace xcuda::device::cpu {

using llvm::Intrinsic::ID;

namespace {

// To an integral value, by the rounding of cvt.rni ... and of conversions to integers.
Value* rounded(Emitter& e, Modifier rounding, Value* value) {
  ID id;
  switch (rounding) {
    case Modifier::rni:
    case Modifier::rn: id = llvm::Intrinsic::roundeven; break;
    case Modifier::rzi:
    case Modifier::rz: id = llvm::Intrinsic::trunc; break;
    case Modifier::rmi:
    case Modifier::rm: id = llvm::Intrinsic::floor; break;
    case Modifier::rpi:
    case Modifier::rp: id = llvm::Intrinsic::ceil; break;
    default: return value;
  }
  return e.b.CreateUnaryIntrinsic(id, value);
}

// What is too large becomes the nearest number that there is. NaN becomes 0, or the greatest bit where 64 bits are on
// either side: so do GPUs.
Value* to_integer(Emitter& e, Value* value, PtxType to, PtxType from) {
  auto& b = e.b;
  Type* type = shaped(value, e.values.element(to));
  const bool is_signed = ptx::is_signed(to);
  Value* near = b.CreateIntrinsic(is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                                  {type, value->getType()}, {value});
  if (ptx::bits_of(to) < 64 && ptx::bits_of(from) < 64) return near;
  Value* top = e.values.constant(type, std::uint64_t{1} << (ptx::bits_of(to) - 1));
  return b.CreateSelect(b.CreateFCmpUNO(value, value), top, near);
}

Value* between_integers(Emitter& e, const Instruction& instruction, Value* value, PtxType to, PtxType from) {
  auto& b = e.b;
  Type* type = shaped(value, e.values.element(to));
  const int wide = ptx::bits_of(to), narrow = ptx::bits_of(from);
  if (instruction.has(Modifier::sat)) {
    const bool from_signed = ptx::is_signed(from), to_signed = ptx::is_signed(to);
    const int bits = std::max(wide, narrow) + 1;  // holds both
    Type* room = shaped(value, e.values.integer(bits));
    Value* v = from_signed ? b.CreateSExt(value, room) : b.CreateZExt(value, room);
    const llvm::APInt least =
        to_signed ? llvm::APInt::getSignedMinValue(static_cast<unsigned>(wide)).sext(static_cast<unsigned>(bits))
                  : llvm::APInt(static_cast<unsigned>(bits), 0);
    const llvm::APInt greatest =
        to_signed ? llvm::APInt::getSignedMaxValue(static_cast<unsigned>(wide)).sext(static_cast<unsigned>(bits))
                  : llvm::APInt::getMaxValue(static_cast<unsigned>(wide)).zext(static_cast<unsigned>(bits));
    v = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, v, llvm::ConstantInt::get(room, least));
    v = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, v, llvm::ConstantInt::get(room, greatest));
    return b.CreateTrunc(v, type);
  }
  return ptx::is_signed(from) ? b.CreateSExtOrTrunc(value, type) : b.CreateZExtOrTrunc(value, type);
}

// The neighbour of a float towards -infinity (down) or +infinity.
Value* neighbour(Emitter& e, Value* value, Value* down) {
  auto& b = e.b;
  Type* type = value->getType();
  const unsigned bits = type->getScalarSizeInBits();
  Type* integer = shaped(value, e.values.integer(static_cast<int>(bits)));
  Value* raw = b.CreateBitCast(value, integer);
  Value* negative = b.CreateICmpSLT(raw, e.values.constant(integer, 0));
  Value* zero = b.CreateFCmpOEQ(value, e.values.real(type, 0));
  Value* step = b.CreateSelect(b.CreateXor(negative, down), e.values.constant(integer, ~std::uint64_t{0}),
                               e.values.constant(integer, 1));
  Value* moved = b.CreateAdd(raw, step);
  Value* smallest = b.CreateSelect(down, e.values.constant(integer, (std::uint64_t{1} << (bits - 1)) | 1),
                                   e.values.constant(integer, 1));
  return b.CreateBitCast(b.CreateSelect(zero, smallest, moved), type);
}

}  // namespace

// Corrects a value that was rounded to nearest, for the rounding asked for. error has the sign of (exact - value).
Value* directed(Emitter& e, Modifier rounding, Value* value, Value* error) {
  auto& b = e.b;
  Type* type = error->getType();
  Value *above = b.CreateFCmpOLT(error, e.values.real(type, 0)),
        *below = b.CreateFCmpOGT(error, e.values.real(type, 0));  // the value is too great, too small
  Type* bits = shaped(value, e.values.integer(static_cast<int>(value->getType()->getScalarSizeInBits())));
  Value* negative = b.CreateICmpSLT(b.CreateBitCast(value, bits), e.values.constant(bits, 0));  // -0, too
  Value *lower = above, *raise = below;
  switch (rounding) {
    case Modifier::rm: raise = e.values.constant(above->getType(), 0); break;
    case Modifier::rp: lower = e.values.constant(above->getType(), 0); break;
    case Modifier::rz: {
      Value* positive = b.CreateNot(negative);
      lower = b.CreateAnd(above, positive);
      raise = b.CreateAnd(below, negative);
      break;
    }
    default: return value;
  }
  Value* corrected = neighbour(e, value, lower);
  return b.CreateSelect(b.CreateOr(lower, raise), corrected, value);
}

namespace {

// A number in f32 or f64 as `to`.
Value* narrowed(Emitter& e, Modifier rounding, Value* value, PtxType to) {
  auto& b = e.b;
  Type* type = shaped(value, e.values.element(to));
  const bool half = ptx::bits_of(to) == 16;
  if (value->getType() == type) return value;
  if (ptx::bits_of(to) == 64) return b.CreateFPExt(value, type);
  Value* near = half ? narrowed_half(e, value, e.values.element(to)) : b.CreateFPTrunc(value, type);
  if (rounding != Modifier::rz && rounding != Modifier::rm && rounding != Modifier::rp) return near;
  Value* back = half ? widened_half(e, near) : near;
  if (back->getType() != value->getType()) back = b.CreateFPExt(back, value->getType());
  // Beyond the greatest finite number: near is infinite, the error too, and the neighbour is that number.
  return directed(e, rounding, near, b.CreateFSub(value, back));
}

Value* between_floats(Emitter& e, const Instruction& instruction, Value* value, PtxType to, PtxType from) {
  auto& b = e.b;
  const Modifier rounding = instruction.find(ptx::Category::rounding);
  if (ptx::bits_of(from) == 16) value = widened_half(e, value);
  if (instruction.has(Modifier::ftz) && from == PtxType::f32 && ptx::bits_of(to) > 16) value = flush(e, value);
  if (instruction.has(Modifier::ftz) && from == PtxType::f64) {  // what is too small is so before it is rounded
    Value* size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
    Value* zero = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, e.values.real(value->getType(), 0), value);
    value = b.CreateSelect(b.CreateFCmpOLT(size, e.values.real(value->getType(), 0x1p-126)), zero, value);
  }
  if (to == from) value = rounded(e, rounding, value);
  Type* type = value->getType();
  if (instruction.has(Modifier::relu)) {
    Value* positive = b.CreateSelect(b.CreateFCmpOGT(value, e.values.real(type, 0)), value, e.values.real(type, 0));
    value = b.CreateSelect(b.CreateFCmpUNO(value, value), llvm::ConstantFP::getNaN(type), positive);
  }
  if (instruction.has(Modifier::sat)) value = saturate(e, value);
  value = narrowed(e, rounding, value, to);
  return instruction.has(Modifier::ftz) && to == PtxType::f32 ? flush(e, value) : value;
}

Value* from_integer(Emitter& e, const Instruction& instruction, Value* value, PtxType to, PtxType from) {
  auto& b = e.b;
  const Modifier rounding = instruction.find(ptx::Category::rounding);
  const bool is_signed = ptx::is_signed(from);
  Type* type = shaped(value, e.values.element(to));
  if (ptx::bits_of(from) < 32) {  // with AVX512-FP16, LLVM 19 selects nothing for vectors of shorts in quick code
    Type* whole = shaped(value, b.getInt32Ty());
    value = is_signed ? b.CreateSExt(value, whole) : b.CreateZExt(value, whole);
  }
  Value* result = nullptr;
  if (ptx::bits_of(from) < 64) {  // exact in f64
    Type* wide = shaped(value, b.getDoubleTy());
    Value* exact = is_signed ? b.CreateSIToFP(value, wide) : b.CreateUIToFP(value, wide);
    const bool plain = to == PtxType::f32 && (rounding == Modifier::rn || rounding == Modifier::none);
    result = plain ? (is_signed ? b.CreateSIToFP(value, type) : b.CreateUIToFP(value, type))
                   : narrowed(e, rounding, exact, to);
  } else if (rounding == Modifier::rn && ptx::bits_of(to) >= 32) {
    result = is_signed ? b.CreateSIToFP(value, type) : b.CreateUIToFP(value, type);
  } else {  // two halves, each exact in f64
    Type* wide = shaped(value, b.getDoubleTy());
    Value* high = is_signed ? b.CreateAShr(value, 32) : b.CreateLShr(value, 32);
    Value* left = b.CreateFMul(is_signed ? b.CreateSIToFP(high, wide) : b.CreateUIToFP(high, wide),
                               e.values.real(wide, 4294967296.0));
    Value* right = b.CreateUIToFP(b.CreateAnd(value, e.values.constant(value->getType(), 0xffff'ffff)), wide);
    if (to == PtxType::f64) {
      Value* near = b.CreateFAdd(left, right);
      result = directed(e, rounding, near, b.CreateFSub(right, b.CreateFSub(near, left)));
    } else {
      result = narrowed(e, rounding, sum_to_odd(e, left, right), to);
    }
  }
  return instruction.has(Modifier::sat) && ptx::bits_of(to) >= 32 ? saturate(e, result) : result;
}

bool is_plain_float(PtxType type) {
  return type == PtxType::f16 || type == PtxType::bf16 || type == PtxType::f32 || type == PtxType::f64;
}

}  // namespace

Value* saturate(Emitter& e, Value* value) {  // [0, 1], NaN becomes 0
  auto& b = e.b;
  Type* type = value->getType();
  Value* positive = b.CreateSelect(b.CreateFCmpOGT(value, e.values.real(type, 0)), value, e.values.real(type, 0));
  return b.CreateSelect(b.CreateFCmpOLT(positive, e.values.real(type, 1)), positive, e.values.real(type, 1));
}

namespace {

// cvt.pack.sat.u8.s32.b32 d, a, b, c: a and b, saturated, beside each other (b in the lower bits), c above them.
void pack_saturated(Emitter& e, const Instruction& instruction) {
  auto& b = e.b;
  const PtxType to = instruction.types[0];
  const int bits = ptx::bits_of(to);
  const std::size_t inputs = e.operands(instruction).size() - 1;
  const bool is_signed = ptx::is_signed(to) || to == PtxType::s4 || to == PtxType::s2;
  const std::uint64_t ones = (std::uint64_t{1} << bits) - 1;
  const std::uint64_t greatest = is_signed ? ones >> 1 : ones, least = is_signed ? ~(ones >> 1) : 0;
  const PtxType types[] = {PtxType::s32, PtxType::s32, PtxType::b32};
  e.registers.elementwise(instruction, std::span(types, inputs), PtxType::b32, [&](Values v) {
    Type* type = v[0]->getType();
    auto saturated = [&](Value* value) {
      value = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, e.values.constant(type, least));
      value = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value, e.values.constant(type, greatest));
      return b.CreateAnd(value, e.values.constant(type, ones));
    };
    Value* pair = b.CreateOr(b.CreateShl(saturated(v[0]), static_cast<std::uint64_t>(bits)), saturated(v[1]));
    return inputs == 2 ? pair
                       : b.CreateOr(pair, b.CreateShl(v[2], std::uint64_t{2} * static_cast<std::uint64_t>(bits)));
  });
}

}  // namespace

void emit_convert(Emitter& e, const Instruction& instruction) {
  if (instruction.has(Modifier::pack)) return pack_saturated(e, instruction);
  const PtxType to = instruction.types[0], from = instruction.types[1];
  auto& b = e.b;
  if (e.registers.write_delayed(instruction)) return;
  const auto operands = e.operands(instruction);
  if (ptx::is_floating(to) && ptx::bits_of(to) == 32 && to != PtxType::f32 &&
      operands.size() == 3) {  // cvt.rn.f16x2.f32 d, high, low
    const PtxType half = to == PtxType::f16x2 ? PtxType::f16 : PtxType::bf16;
    const PtxType types[] = {from, from};
    return e.registers.elementwise(instruction, types, PtxType::b32, [&](Values v) {
      auto bits = [&](Value* x) { return between_floats(e, instruction, x, half, from); };
      return pair_of(e, bits(v[1]), bits(v[0]));
    });
  }
  if (to == PtxType::tf32 && from == PtxType::f32 && instruction.has(Modifier::rna) &&
      !instruction.has(Modifier::satfinite)) {
    const PtxType types[] = {PtxType::b32};
    return e.registers.elementwise(instruction, types, PtxType::b32, [&](Values v) {
      auto number = [&](std::uint64_t x) { return e.values.constant(v[0]->getType(), x); };
      Value* near = b.CreateAnd(b.CreateAdd(v[0], number(0x1000)), number(0xffff'e000));  // half an ulp away from zero
      Value* special = b.CreateICmpEQ(b.CreateAnd(v[0], number(0x7f80'0000)), number(0x7f80'0000));
      Value* kept = b.CreateAnd(v[0], number(0xffff'e000));
      return b.CreateSelect(special, kept, near);
    });
  }
  const bool to_float = is_plain_float(to), from_float = is_plain_float(from);
  const PtxType types[] = {from};
  e.registers.elementwise(instruction, types, to, [&](Values v) -> Value* {
    if (to_float && from_float) return between_floats(e, instruction, v[0], to, from);
    if (to_float) return from_integer(e, instruction, v[0], to, from);
    if (from_float) {
      Value* value = instruction.has(Modifier::ftz) && from == PtxType::f32 ? flush(e, v[0]) : v[0];
      // By way of float, which holds every half: with AVX512-FP16, LLVM 19 turns a NaN into the least signed number,
      // and not all processors can round a half.
      if (ptx::bits_of(from) == 16) value = widened_half(e, value);
      value = rounded(e, instruction.find(ptx::Category::rounding), value);
      return to_integer(e, value, to, from);
    }
    return between_integers(e, instruction, v[0], to, from);
  });
}

}  // namespace xcuda::device::cpu
