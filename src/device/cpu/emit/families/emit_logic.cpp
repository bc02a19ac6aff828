// Bits: and, or, shifts, fields, counts, permutations.
#include "device/cpu/emit/families/families.hpp"

namespace xcuda::device::cpu {

using llvm::Intrinsic::ID;

namespace {

// PTX clamps shift amounts to the width, LLVM makes poison of them.
Value* shift(Emitter& e, Opcode opcode, Signedness sign, Value* value, Value* amount) {
  auto& b = e.b;
  const unsigned bits = value->getType()->getScalarSizeInBits();
  amount = amount->getType() == value->getType() ? amount : b.CreateZExtOrTrunc(amount, value->getType());
  const auto* constant = llvm::dyn_cast<llvm::Constant>(amount);
  const llvm::APInt* known = nullptr;
  if (constant) {
    const auto* single = constant->getType()->isVectorTy() ? constant->getSplatValue() : constant;
    if (const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(single)) known = &number->getValue();
  }
  Value* last = e.values.constant(value->getType(), bits - 1);
  if (is_signed(sign) && opcode == Opcode::shr)
    return b.CreateAShr(value, known ? (known->ult(bits) ? amount : last)
                                     : b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, last));
  Value* zero = e.values.constant(value->getType(), 0);
  if (known && known->uge(bits)) return zero;
  Value* safe = known ? amount : b.CreateAnd(amount, last);
  Value* shifted = opcode == Opcode::shl ? b.CreateShl(value, safe) : b.CreateLShr(value, safe);
  return known ? shifted : b.CreateSelect(b.CreateICmpUGT(amount, last), zero, shifted);
}

Value* look_up(Emitter& e, Values v, unsigned table) {  // lop3
  auto& b = e.b;
  Value* result = e.values.constant(v[0]->getType(), 0);
  for (unsigned term = 0; term < 8; ++term) {
    if (!(table >> term & 1)) continue;
    Value* x = term & 4 ? v[0] : b.CreateNot(v[0]);
    Value* y = term & 2 ? v[1] : b.CreateNot(v[1]);
    Value* z = term & 1 ? v[2] : b.CreateNot(v[2]);
    result = b.CreateOr(result, b.CreateAnd(x, b.CreateAnd(y, z)));
  }
  return result;
}

// lop3.or.b32 d|p, a, b, c, table, q: p is (d != 0) or q.
void look_up_and_test(Emitter& e, const Instruction& instruction, unsigned table) {
  auto& b = e.b;
  const auto operands = e.operands(instruction);
  Value* values[3] = {};
  for (std::size_t i = 0; i < 3; ++i) values[i] = e.registers.read_vector(operands[1 + i], PtxType::b32);
  Value* found = look_up(e, values, table);
  Value *any = b.CreateICmpNE(found, e.values.constant(found->getType(), 0)),
        *with = e.registers.read_vector(operands[5], PtxType::pred);
  Operand target = operands[0];
  const ptx::Register second = target.second;
  target.second = ptx::kNoIndex;
  e.registers.write(target, e.values.varying(found), PtxType::b32);
  if (second == ptx::kNoIndex) return;
  target.kind = Operand::Kind::reg;
  target.reg = second;
  e.registers.write(target,
                    e.values.varying(instruction.has(Modifier::and_) ? b.CreateAnd(any, with) : b.CreateOr(any, with)),
                    PtxType::pred);
}

Value* extract_field(Emitter& e, Values v, Signedness sign) {
  auto& b = e.b;
  llvm::Type* type = v[0]->getType();
  const unsigned bits = type->getScalarSizeInBits();
  auto wide = [&](Value* x) { return b.CreateZExtOrTrunc(b.CreateAnd(x, e.values.constant(x->getType(), 255)), type); };
  Value *position = wide(v[1]), *length = wide(v[2]);
  Value* zero = e.values.constant(type, 0);
  if (!is_signed(sign)) {
    Value* mask =
        b.CreateNot(shift(e, Opcode::shl, Signedness::unsigned_, e.values.constant(type, ~std::uint64_t{0}), length));
    return b.CreateAnd(shift(e, Opcode::shr, Signedness::unsigned_, v[0], position), mask);
  }
  // Shift the field to the top, then back: the sign bit is that of the field, or bit 31/63 when it reaches beyond.
  Value* width = e.values.constant(type, bits);
  Value* room = b.CreateSub(width, b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, position, width));
  Value* length_in = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, length, room);
  Value* shifted = shift(e, Opcode::shr, Signedness::signed_, v[0], position);
  Value* up = b.CreateSub(width, length_in);
  Value* field =
      shift(e, Opcode::shr, Signedness::signed_, shift(e, Opcode::shl, Signedness::unsigned_, shifted, up), up);
  Value* beyond = shift(e, Opcode::shr, Signedness::signed_, v[0], e.values.constant(type, bits - 1));
  field = b.CreateSelect(b.CreateICmpEQ(length_in, zero), beyond, field);
  return b.CreateSelect(b.CreateICmpEQ(length, zero), zero, field);
}

Value* insert_field(Emitter& e, Values v) {  // a, b, position, length
  auto& b = e.b;
  llvm::Type* type = v[0]->getType();
  auto wide = [&](Value* x) { return b.CreateZExtOrTrunc(b.CreateAnd(x, e.values.constant(x->getType(), 255)), type); };
  Value *position = wide(v[2]), *length = wide(v[3]);
  Value* ones =
      b.CreateNot(shift(e, Opcode::shl, Signedness::unsigned_, e.values.constant(type, ~std::uint64_t{0}), length));
  Value* mask = shift(e, Opcode::shl, Signedness::unsigned_, ones, position);
  return b.CreateOr(b.CreateAnd(v[1], b.CreateNot(mask)),
                    b.CreateAnd(shift(e, Opcode::shl, Signedness::unsigned_, v[0], position), mask));
}

Value* find_leading(Emitter& e, const Instruction& instruction, Value* value) {  // bfind
  auto& b = e.b;
  llvm::Type* type = value->getType();
  const unsigned bits = type->getScalarSizeInBits();
  if (ptx::is_signed(instruction.type())) value = b.CreateXor(value, b.CreateAShr(value, bits - 1));
  Value* zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, value, b.getFalse());
  Value* answer = instruction.has(Modifier::shiftamt) ? zeros : b.CreateSub(e.values.constant(type, bits - 1), zeros);
  return b.CreateSelect(b.CreateICmpEQ(value, e.values.constant(type, 0)), e.values.constant(type, ~std::uint64_t{0}),
                        answer);
}

Value* funnel(Emitter& e, const Instruction& instruction, Values v) {  // shf: low, high, amount
  auto& b = e.b;
  llvm::Type* type = v[0]->getType();
  const bool left = instruction.has(Modifier::l), clamp = instruction.has(Modifier::clamp);
  Value* amount = clamp ? b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, v[2], e.values.constant(type, 32))
                        : b.CreateAnd(v[2], e.values.constant(type, 31));
  Value* turned = b.CreateIntrinsic(left ? llvm::Intrinsic::fshl : llvm::Intrinsic::fshr, {type}, {v[1], v[0], amount});
  if (!clamp) return turned;
  return b.CreateSelect(b.CreateICmpEQ(amount, e.values.constant(type, 32)), left ? v[0] : v[1], turned);
}

Value* byte_of(Emitter& e, Value* low, Value* high, Value* index, Value* sign) {  // of the 8 bytes high:low
  auto& b = e.b;
  llvm::Type* type = low->getType();
  Value* from_high = b.CreateICmpNE(b.CreateAnd(index, e.values.constant(type, 4)), e.values.constant(type, 0));
  Value* word = b.CreateSelect(from_high, high, low);
  Value* byte = b.CreateAnd(
      b.CreateLShr(word, b.CreateShl(b.CreateAnd(index, e.values.constant(type, 3)), e.values.constant(type, 3))),
      e.values.constant(type, 255));
  if (!sign) return byte;
  Value* spread = b.CreateMul(b.CreateLShr(byte, e.values.constant(type, 7)), e.values.constant(type, 255));
  return b.CreateSelect(b.CreateICmpNE(sign, e.values.constant(type, 0)), spread, byte);
}

Value* permute(Emitter& e, const Instruction& instruction, Values v) {  // prmt: a, b, selector
  auto& b = e.b;
  llvm::Type* type = v[0]->getType();
  Value* result = e.values.constant(type, 0);
  Value* low = b.CreateAnd(v[2], e.values.constant(type, 3));
  for (unsigned i = 0; i < 4; ++i) {
    Value *index = nullptr, *sign = nullptr;
    auto number = [&](std::uint64_t x) { return e.values.constant(type, x); };
    if (instruction.has(Modifier::f4e))
      index = b.CreateAdd(low, number(i));
    else if (instruction.has(Modifier::b4e))
      index = b.CreateAnd(b.CreateSub(low, number(i)), number(7));
    else if (instruction.has(Modifier::rc8))
      index = low;
    else if (instruction.has(Modifier::ecl))
      index = b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, low, number(i));
    else if (instruction.has(Modifier::ecr))
      index = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, low, number(i));
    else if (instruction.has(Modifier::rc16))
      index = b.CreateOr(b.CreateShl(b.CreateAnd(low, number(1)), number(1)), number(i & 1));
    else {
      Value* nibble = b.CreateLShr(v[2], number(4 * i));
      index = b.CreateAnd(nibble, number(7));
      sign = b.CreateAnd(nibble, number(8));
    }
    result = b.CreateOr(result, b.CreateShl(byte_of(e, v[0], v[1], index, sign), number(8 * i)));
  }
  return result;
}

Value* nth_set(Emitter& e, Values v) {  // fns: mask, base, offset
  auto& b = e.b;
  llvm::Type* type = v[0]->getType();
  auto number = [&](std::uint64_t x) { return e.values.constant(type, x); };
  Value* result = number(~std::uint64_t{0});
  Value *wanted = b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, v[2], b.getFalse()), *zero = number(0);
  Value *up = b.CreateICmpSGE(v[2], zero), *down = b.CreateNot(up);
  Value* seen_up = zero;
  Value* seen_down = zero;
  auto visit = [&](unsigned i, Value* in_range, Value*& seen, Value* direction) {
    Value* set = b.CreateAnd(b.CreateLShr(v[0], number(i)), number(1));
    Value* counts = b.CreateAnd(b.CreateICmpNE(set, zero), in_range);
    seen = b.CreateAdd(seen, b.CreateZExt(counts, type));
    Value* hit = b.CreateAnd(counts, b.CreateICmpEQ(seen, wanted));
    result = b.CreateSelect(b.CreateAnd(hit, direction), number(i), result);
  };
  for (unsigned i = 0; i < 32; ++i) visit(i, b.CreateICmpULE(v[1], number(i)), seen_up, up);
  for (unsigned i = 32; i-- > 0;) visit(i, b.CreateICmpUGE(v[1], number(i)), seen_down, down);
  // Offset 0 asks for the bit at base itself.
  Value* at_base = b.CreateAnd(b.CreateLShr(v[0], b.CreateAnd(v[1], number(31))), number(1));
  Value* here = b.CreateSelect(b.CreateICmpNE(at_base, zero), v[1], number(~std::uint64_t{0}));
  result = b.CreateSelect(b.CreateICmpEQ(v[2], number(0x8000'0000)), zero, result);  // as GPUs answer
  return b.CreateSelect(b.CreateICmpEQ(v[2], zero), here, result);
}

Value* bit_mask(Emitter& e, const Instruction& instruction, Values v) {  // bmsk: position, width
  auto& b = e.b;
  llvm::Type* type = v[0]->getType();
  Value *position = v[0], *width = v[1];
  if (instruction.has(Modifier::wrap)) {
    position = b.CreateAnd(position, e.values.constant(type, 31));
    width = b.CreateAnd(width, e.values.constant(type, 31));
  }
  Value* ones =
      b.CreateNot(shift(e, Opcode::shl, Signedness::unsigned_, e.values.constant(type, ~std::uint64_t{0}), width));
  return shift(e, Opcode::shl, Signedness::unsigned_, ones, position);
}

Value* extend_from(Emitter& e, const Instruction& instruction, Values v, Signedness sign) {  // szext: value, bits
  auto& b = e.b;
  llvm::Type* type = v[0]->getType();
  Value* width = instruction.has(Modifier::wrap) ? b.CreateAnd(v[1], e.values.constant(type, 31)) : v[1];
  Value* up = b.CreateSub(e.values.constant(type, 32),
                          b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, width, e.values.constant(type, 32)));
  return shift(e, Opcode::shr, sign, shift(e, Opcode::shl, Signedness::unsigned_, v[0], up), up);
}

}  // namespace

void emit_logic(Emitter& e, const Instruction& instruction) {
  auto& b = e.b;
  const PtxType type = instruction.type();
  const auto sign = ptx::signedness(type);
  constexpr PtxType amount = PtxType::u32;
  auto run = [&](std::initializer_list<PtxType> types, PtxType result, const Make& make) {
    e.registers.elementwise(instruction, std::span(types.begin(), types.size()), result, make);
  };
  auto count = [&](ID id) {
    run({type}, PtxType::u32, [&](Values v) {
      Value* n = id == llvm::Intrinsic::ctpop ? b.CreateUnaryIntrinsic(id, v[0])
                                              : b.CreateBinaryIntrinsic(id, v[0], b.getFalse());
      llvm::Type* to = b.getInt32Ty();
      return b.CreateZExtOrTrunc(n, n->getType()->isVectorTy() ? e.values.lanes(to) : to);
    });
  };
  switch (instruction.opcode) {
    case Opcode::and_: return run({type, type}, type, [&](Values v) { return b.CreateAnd(v[0], v[1]); });
    case Opcode::or_: return run({type, type}, type, [&](Values v) { return b.CreateOr(v[0], v[1]); });
    case Opcode::xor_:
      if (e.registers.write_permuted(instruction)) return;
      return run({type, type}, type, [&](Values v) { return b.CreateXor(v[0], v[1]); });
    case Opcode::not_: return run({type}, type, [&](Values v) { return b.CreateNot(v[0]); });
    case Opcode::cnot:
      return run({type}, type, [&](Values v) {
        return b.CreateZExt(b.CreateICmpEQ(v[0], e.values.constant(v[0]->getType(), 0)), v[0]->getType());
      });
    case Opcode::lop3: {
      const auto operands = e.operands(instruction);
      const auto table = static_cast<unsigned>(operands[4].bits);
      if (operands.size() == 6) return look_up_and_test(e, instruction, table);
      return run({type, type, type}, type, [&](Values v) { return look_up(e, v, table); });
    }
    case Opcode::shl:
    case Opcode::shr:
      if (e.registers.write_delayed(instruction)) return;
      return run({type, amount}, type, [&](Values v) {
        Value* by = v[1];
        if (ptx::bits_of(type) == 16)  // amounts of 32 bits would be cut
          by = b.CreateTrunc(b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, by, e.values.constant(by->getType(), 16)),
                             v[0]->getType());
        return shift(e, instruction.opcode, sign, v[0], by);
      });
    case Opcode::shf: return run({type, type, amount}, type, [&](Values v) { return funnel(e, instruction, v); });
    case Opcode::bfe: return run({type, amount, amount}, type, [&](Values v) { return extract_field(e, v, sign); });
    case Opcode::bfi: return run({type, type, amount, amount}, type, [&](Values v) { return insert_field(e, v); });
    case Opcode::bfind:
      return run({type}, PtxType::u32, [&](Values v) {
        Value* found = find_leading(e, instruction, v[0]);
        return b.CreateTrunc(found, found->getType()->isVectorTy() ? e.values.lanes(b.getInt32Ty()) : b.getInt32Ty());
      });
    case Opcode::brev:
      return run({type}, type, [&](Values v) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, v[0]); });
    case Opcode::clz: return count(llvm::Intrinsic::ctlz);
    case Opcode::popc: return count(llvm::Intrinsic::ctpop);
    case Opcode::prmt:
      return run({PtxType::b32, PtxType::b32, PtxType::b32}, PtxType::b32,
                 [&](Values v) { return permute(e, instruction, v); });
    case Opcode::fns:
      return run({PtxType::b32, PtxType::b32, PtxType::s32}, PtxType::b32, [&](Values v) { return nth_set(e, v); });
    case Opcode::bmsk:
      return run({PtxType::b32, PtxType::b32}, PtxType::b32, [&](Values v) { return bit_mask(e, instruction, v); });
    case Opcode::szext:
      return run({type, amount}, type, [&](Values v) { return extend_from(e, instruction, v, sign); });
    default: e.not_refused(instruction);
  }
}

}  // namespace xcuda::device::cpu
