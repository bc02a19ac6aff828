// Values in the forms of the lattice: reading and writing registers, making vectors, masks, loops over lanes.
#include <bit>

#include "device/cpu/emit/emit_family.hpp"

namespace xcuda::device::cpu {

using llvm::Constant;

// --- Types and constants -------------------------------------------------------------------------------------------

Type* LaneValues::element(PtxType type) {
  switch (type) {
    case PtxType::pred: return e_.b.getInt1Ty();
    case PtxType::f16: return e_.b.getHalfTy();
    case PtxType::bf16: return e_.b.getBFloatTy();
    case PtxType::f32: return e_.b.getFloatTy();
    case PtxType::f64: return e_.b.getDoubleTy();
    default: return e_.b.getIntNTy(static_cast<unsigned>(std::max(ptx::bits_of(type), 1)));
  }
}

Type* LaneValues::integer(int bits) { return e_.b.getIntNTy(static_cast<unsigned>(bits)); }

Value* LaneValues::constant(Type* like, std::uint64_t bits) {
  Type* scalar = like->getScalarType();
  const unsigned width = scalar->getPrimitiveSizeInBits();
  const llvm::APInt value(width, bits);
  Constant* constant = scalar->isIntegerTy()
                           ? static_cast<Constant*>(llvm::ConstantInt::get(scalar, value))
                           : llvm::ConstantFP::get(scalar, llvm::APFloat(scalar->getFltSemantics(), value));
  if (auto* vector = llvm::dyn_cast<llvm::VectorType>(like))
    return llvm::ConstantVector::getSplat(vector->getElementCount(), constant);
  return constant;
}

Value* LaneValues::real(Type* like, double value) { return llvm::ConstantFP::get(like, value); }

Value* LaneValues::pattern_vector(Pattern pattern, Type* element, std::int64_t factor) {
  llvm::SmallVector<Constant*, 32> all;
  for (std::int64_t lane : e_.plan.patterns.lanes(pattern))
    all.push_back(llvm::ConstantInt::get(element, static_cast<std::uint64_t>(lane * factor), true));
  return llvm::ConstantVector::get(all);
}

// --- Forms ---------------------------------------------------------------------------------------------------------

Value* LaneValues::splat(Value* scalar) { return e_.b.CreateVectorSplat(32, scalar); }

Value* LaneValues::base_of(const Held& value, int group) {
  return value.parts[value.form.groups == 1 ? 0 : static_cast<unsigned>(group)];
}

Value* LaneValues::group_value(const Held& value, int group) {
  Value* base = base_of(value, group);
  if (value.form.pattern == kNoPattern) return base;
  const std::int64_t first =
      e_.plan.patterns.lanes(value.form.pattern)[static_cast<unsigned>(group * 32 / e_.plan.shape.groups())];
  return first ? e_.b.CreateAdd(base, llvm::ConstantInt::get(base->getType(), static_cast<std::uint64_t>(first), true))
               : base;
}

Value* LaneValues::vector_of(const Held& value) {
  if (value.form.is_varying()) return value.parts[0];
  const int groups = value.form.groups;
  auto spread = [&](unsigned first) -> Value* {
    if (groups == 1) return splat(value.parts[first]);
    Type* type = value.parts[first]->getType();
    if (type->isIntegerTy(1)) {  // a mask of whole groups
      Value* mask = e_.b.getInt32(0);
      for (int group = 0; group < groups; ++group) {
        const auto bits = static_cast<std::uint32_t>((std::uint64_t{1} << 32 / groups) - 1) << (group * 32 / groups);
        mask = e_.b.CreateOr(mask, e_.b.CreateSelect(value.parts[first + static_cast<unsigned>(group)],
                                                     e_.b.getInt32(bits), e_.b.getInt32(0)));
      }
      return to_vector(mask);
    }
    Value* few = llvm::PoisonValue::get(lanes(type, groups));
    for (int group = 0; group < groups; ++group)
      few = e_.b.CreateInsertElement(few, value.parts[first + static_cast<unsigned>(group)],
                                     static_cast<std::uint64_t>(group));
    llvm::SmallVector<int, 32> order;
    for (int lane = 0; lane < 32; ++lane) order.push_back(lane * groups / 32);
    return e_.b.CreateShuffleVector(few, order);
  };
  if (value.form.is_permuted()) {
    Type* type = value.parts[0]->getType();
    const Held low = uniform(value.parts[1]);
    llvm::SmallVector<Constant*, 32> numbers;
    for (unsigned lane = 0; lane < 32; ++lane) numbers.push_back(e_.b.getInt32(lane));
    Value* lane = e_.b.CreateXor(llvm::ConstantVector::get(numbers), splat(low.parts[0]));
    lane = e_.b.CreateMul(lane, constant(lane->getType(), value.form.scale));
    return e_.b.CreateAdd(e_.b.CreateZExtOrTrunc(lane, lanes(type)), splat(value.parts[0]));
  }
  if (value.form.kind == RegisterForm::Kind::delayed) {
    Value* index =
        e_.b.CreateAdd(spread(static_cast<unsigned>(groups)), pattern_vector(value.form.pattern, e_.b.getInt32Ty()));
    Value* wide = e_.b.CreateZExt(index, lanes(e_.b.getInt64Ty()));
    wide = e_.b.CreateMul(wide, constant(wide->getType(), value.form.scale));
    return e_.b.CreateAdd(wide, spread(0));
  }
  Value* vector = spread(0);
  if (value.form.pattern == kNoPattern) return vector;
  return e_.b.CreateAdd(vector, pattern_vector(value.form.pattern, vector->getType()->getScalarType()));
}

// --- Registers and operands ----------------------------------------------------------------------------------------

Held LaneValues::map(std::span<const Held> inputs, const Make& make) {
  int groups = 1;
  for (const Held& input : inputs) {
    const auto form = e_.plan.rules().grouped(input.form);
    groups = std::max<int>(groups, form ? form->groups : 32);
  }
  llvm::SmallVector<Value*, 8> values(inputs.size());
  if (groups == 32) {
    for (std::size_t i = 0; i < inputs.size(); ++i) values[i] = vector_of(inputs[i]);
    return varying(make(values));
  }
  Held made{RegisterForm{RegisterForm::Kind::affine, static_cast<std::uint8_t>(groups), 0, kNoPattern, 1}, {}};
  for (int group = 0; group < groups; ++group) {
    for (std::size_t i = 0; i < inputs.size(); ++i) values[i] = group_value(inputs[i], group);
    made.parts.push_back(make(values));
  }
  return made;
}

Held LaneValues::moved(const Held& value, Value* distance) {
  Held result = value;
  if (value.form.is_varying()) {
    result.parts[0] = e_.b.CreateAdd(value.parts[0], splat(distance));
    return result;
  }
  for (int group = 0; group < value.form.groups; ++group) {
    Value*& part = result.parts[static_cast<unsigned>(group)];
    part = e_.b.CreateAdd(part, distance);
  }
  return result;
}

// --- Masks ---------------------------------------------------------------------------------------------------------

Value* LaneValues::to_mask(Value* vector) { return e_.b.CreateBitCast(vector, e_.b.getInt32Ty()); }

// Without masks in registers LLVM takes the bits of a mask apart one by one.
Value* LaneValues::to_vector(Value* mask, int bits) {
  if (e_.features.avx512) return e_.b.CreateBitCast(mask, lanes(e_.b.getInt1Ty()));
  llvm::SmallVector<llvm::Constant*, 32> own;
  for (unsigned lane = 0; lane < 32; ++lane)
    own.push_back(llvm::ConstantInt::get(integer(bits), std::uint64_t{1} << lane));
  Value* each = llvm::ConstantVector::get(own);
  return e_.b.CreateICmpEQ(e_.b.CreateAnd(splat(e_.b.CreateZExt(mask, integer(bits))), each), each);
}

// --- Lanes one by one ----------------------------------------------------------------------------------------------

}  // namespace xcuda::device::cpu
