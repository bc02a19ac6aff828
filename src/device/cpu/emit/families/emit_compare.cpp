// setp, set, selp, slct, testp.
#include "device/cpu/emit/families/families.hpp"

namespace xcuda::device::cpu {

using llvm::CmpInst;

namespace {

struct Comparison {
  Modifier word;
  CmpInst::Predicate is_signed, is_unsigned, floating;
};
constexpr auto kBad = CmpInst::BAD_ICMP_PREDICATE;
constexpr Comparison kComparisons[] = {
    // Ordered comparisons of floats are false for NaN, `ne` too.
    {Modifier::eq, CmpInst::ICMP_EQ, CmpInst::ICMP_EQ, CmpInst::FCMP_OEQ},
    {Modifier::ne, CmpInst::ICMP_NE, CmpInst::ICMP_NE, CmpInst::FCMP_ONE},
    {Modifier::lt, CmpInst::ICMP_SLT, CmpInst::ICMP_ULT, CmpInst::FCMP_OLT},
    {Modifier::le, CmpInst::ICMP_SLE, CmpInst::ICMP_ULE, CmpInst::FCMP_OLE},
    {Modifier::gt, CmpInst::ICMP_SGT, CmpInst::ICMP_UGT, CmpInst::FCMP_OGT},
    {Modifier::ge, CmpInst::ICMP_SGE, CmpInst::ICMP_UGE, CmpInst::FCMP_OGE},
    {Modifier::lo, CmpInst::ICMP_ULT, CmpInst::ICMP_ULT, kBad},
    {Modifier::ls, CmpInst::ICMP_ULE, CmpInst::ICMP_ULE, kBad},
    {Modifier::hi, CmpInst::ICMP_UGT, CmpInst::ICMP_UGT, kBad},
    {Modifier::hs, CmpInst::ICMP_UGE, CmpInst::ICMP_UGE, kBad},
    {Modifier::equ, kBad, kBad, CmpInst::FCMP_UEQ},
    {Modifier::neu, kBad, kBad, CmpInst::FCMP_UNE},
    {Modifier::ltu, kBad, kBad, CmpInst::FCMP_ULT},
    {Modifier::leu, kBad, kBad, CmpInst::FCMP_ULE},
    {Modifier::gtu, kBad, kBad, CmpInst::FCMP_UGT},
    {Modifier::geu, kBad, kBad, CmpInst::FCMP_UGE},
    {Modifier::num, kBad, kBad, CmpInst::FCMP_ORD},
    {Modifier::nan, kBad, kBad, CmpInst::FCMP_UNO},
};

CmpInst::Predicate predicate_of(Emitter& e, const Instruction& instruction, PtxType type) {
  const Modifier word = instruction.find(ptx::Category::comparison);
  for (const Comparison& each : kComparisons) {
    if (each.word != word) continue;
    const auto found = ptx::is_floating(type) ? each.floating
                       : ptx::is_signed(type) ? each.is_signed
                                              : each.is_unsigned;
    if (found != kBad) return found;
  }
  e.not_refused(instruction);
}

// The type that is compared: the last one of set.eq.u32.f32 and of setp.lt.f32.
PtxType compared_type(const Instruction& instruction) { return instruction.types[instruction.type_count - 1]; }

Value* compare(Emitter& e, const Instruction& instruction, Value* left, Value* right) {
  const PtxType type = compared_type(instruction);
  if (left->getType()->getScalarSizeInBits() == 16 && ptx::is_floating(type)) {
    left = widened_half(e, left);
    right = widened_half(e, right);
    if (instruction.has(Modifier::ftz) && (type == PtxType::f16 || type == PtxType::f16x2)) {
      left = flush_below(e, left, 0x3880'0000);  // 2^-14
      right = flush_below(e, right, 0x3880'0000);
    }
  }
  if (instruction.has(Modifier::ftz) && type != PtxType::f64) {
    left = flush(e, left);
    right = flush(e, right);
  }
  const CmpInst::Predicate predicate = predicate_of(e, instruction, type);
  return ptx::is_floating(type) ? e.b.CreateFCmp(predicate, left, right) : e.b.CreateICmp(predicate, left, right);
}

Value* combine(Emitter& e, const Instruction& instruction, Value* result, Value* with) {
  switch (instruction.find(ptx::Category::operation)) {
    case Modifier::and_: return e.b.CreateAnd(result, with);
    case Modifier::or_: return e.b.CreateOr(result, with);
    case Modifier::xor_: return e.b.CreateXor(result, with);
    default: e.not_refused(instruction);
  }
}

llvm::Type* element_of_pair(Emitter& e, PtxType type) {
  return type == PtxType::f16x2 ? e.b.getHalfTy() : e.b.getBFloatTy();
}

// setp.f16x2 p|q, a, b: p of the low halves, q of the high ones.
void set_pair_predicates(Emitter& e, const Instruction& instruction) {
  const auto operands = e.operands(instruction);
  const PtxType type = compared_type(instruction);
  const bool combined = operands.size() > 3;
  llvm::SmallVector<Held, 3> inputs{e.registers.read(operands[1], PtxType::b32),
                                    e.registers.read(operands[2], PtxType::b32)};
  if (combined) inputs.push_back(e.registers.read(operands[3], PtxType::pred));
  ptx::Operand target = operands[0];
  const ptx::Register other = target.second;
  target.second = ptx::kNoIndex;
  Held made[2];
  for (unsigned part = 0; part < 2; ++part)
    made[part] = e.values.map(inputs, [&](Values v) {
      llvm::Type* half = element_of_pair(e, type);
      Value* holds = compare(e, instruction, half_of(e, v[0], part, half), half_of(e, v[1], part, half));
      return combined ? combine(e, instruction, holds, v[2]) : holds;
    });
  e.registers.write(target, made[0], PtxType::pred);
  if (other == ptx::kNoIndex) return;
  target.kind = ptx::Operand::Kind::reg;
  target.reg = other;
  e.registers.write(target, made[1], PtxType::pred);
}

void set_predicate(Emitter& e, const Instruction& instruction) {
  const auto operands = e.operands(instruction);
  const PtxType type = compared_type(instruction);
  auto& b = e.b;
  if (is_pair(type)) return set_pair_predicates(e, instruction);
  const bool combined = operands.size() > 3;
  if (!combined && operands[0].second == ptx::kNoIndex) {
    const PtxType types[] = {type, type};
    return e.registers.elementwise(instruction, types, PtxType::pred,
                                   [&](Values v) { return compare(e, instruction, v[0], v[1]); });
  }
  // d|q: q is the complement of the comparison, combined like d.
  llvm::SmallVector<Held, 3> inputs{e.registers.read(operands[1], type), e.registers.read(operands[2], type)};
  if (combined) inputs.push_back(e.registers.read(operands[3], PtxType::pred));
  auto combined_with = [&](Values v, Value* result) {
    return combined ? combine(e, instruction, result, v[2]) : result;
  };
  const Held first =
      e.values.map(inputs, [&](Values v) { return combined_with(v, compare(e, instruction, v[0], v[1])); });
  const Held second = e.values.map(
      inputs, [&](Values v) { return combined_with(v, b.CreateNot(compare(e, instruction, v[0], v[1]))); });
  ptx::Operand target = operands[0];
  const ptx::Register other = target.second;
  target.second = ptx::kNoIndex;
  e.registers.write(target, first, PtxType::pred);
  if (other != ptx::kNoIndex) {
    target.reg = other;
    e.registers.write(target, second, PtxType::pred);
  }
}

void set_value(Emitter& e, const Instruction& instruction) {
  const auto operands = e.operands(instruction);
  const PtxType type = compared_type(instruction), result = instruction.types[0];
  auto& b = e.b;
  const PtxType word = is_pair(type) ? PtxType::b32 : type;
  const PtxType types[] = {word, word, PtxType::pred};
  const bool combined = operands.size() > 3;
  if (is_pair(type)) {  // each half of the result is 1.0 or all ones
    return e.registers.elementwise(instruction, std::span(types, combined ? 3 : 2), PtxType::b32, [&](Values v) {
      Value* made[2] = {};
      for (unsigned part = 0; part < 2; ++part) {
        llvm::Type* half = element_of_pair(e, type);
        Value* holds = compare(e, instruction, half_of(e, v[0], part, half), half_of(e, v[1], part, half));
        if (combined) holds = combine(e, instruction, holds, v[2]);
        llvm::Type* bits = b.getInt16Ty();
        if (holds->getType()->isVectorTy()) bits = e.values.lanes(bits);
        const std::uint64_t one = result == PtxType::f16x2 ? 0x3c00 : result == PtxType::bf16x2 ? 0x3f80 : 0xffff;
        made[part] = b.CreateSelect(holds, e.values.constant(bits, one), e.values.constant(bits, 0));
      }
      return pair_of(e, made[0], made[1]);
    });
  }
  e.registers.elementwise(instruction, std::span(types, combined ? 3 : 2), result, [&](Values v) -> Value* {
    Value* holds = compare(e, instruction, v[0], v[1]);
    if (combined) holds = combine(e, instruction, holds, v[2]);
    llvm::Type* to = e.values.element(result);
    if (holds->getType()->isVectorTy()) to = e.values.lanes(to);
    if (ptx::is_floating(result)) return b.CreateSelect(holds, e.values.real(to, 1), e.values.real(to, 0));
    return b.CreateSExt(holds, to);
  });
}

void test_property(Emitter& e, const Instruction& instruction) {
  const PtxType type = instruction.type();
  const bool wide = type == PtxType::f64;
  const std::uint64_t exponent = wide ? 0x7ff0'0000'0000'0000 : 0x7f80'0000,
                      fraction = wide ? 0x000f'ffff'ffff'ffff : 0x007f'ffff;
  const PtxType types[] = {wide ? PtxType::b64 : PtxType::b32};
  auto& b = e.b;
  e.registers.elementwise(instruction, types, PtxType::pred, [&](Values v) -> Value* {
    auto number = [&](std::uint64_t bits) { return e.values.constant(v[0]->getType(), bits); };
    Value *exp = b.CreateAnd(v[0], number(exponent)), *frac = b.CreateAnd(v[0], number(fraction));
    Value *full = b.CreateICmpEQ(exp, number(exponent)), *none = b.CreateICmpEQ(exp, number(0)),
          *whole = b.CreateICmpEQ(frac, number(0));
    if (instruction.has(Modifier::finite)) return b.CreateNot(full);
    if (instruction.has(Modifier::infinite)) return b.CreateAnd(full, whole);
    if (instruction.has(Modifier::number)) return b.CreateNot(b.CreateAnd(full, b.CreateNot(whole)));
    if (instruction.has(Modifier::notanumber)) return b.CreateAnd(full, b.CreateNot(whole));
    if (instruction.has(Modifier::normal))  // zero is
      return b.CreateNot(b.CreateOr(full, b.CreateAnd(none, b.CreateNot(whole))));
    if (instruction.has(Modifier::subnormal)) return b.CreateAnd(none, b.CreateNot(whole));
    e.not_refused(instruction);
  });
}

}  // namespace

void emit_compare(Emitter& e, const Instruction& instruction) {
  const PtxType type = instruction.type();
  auto& b = e.b;
  switch (instruction.opcode) {
    case Opcode::setp: return set_predicate(e, instruction);
    case Opcode::set: return set_value(e, instruction);
    case Opcode::testp: return test_property(e, instruction);
    case Opcode::selp: {
      const PtxType types[] = {type, type, PtxType::pred};
      return e.registers.elementwise(instruction, types, type,
                                     [&](Values v) { return b.CreateSelect(v[2], v[0], v[1]); });
    }
    case Opcode::slct: {
      const PtxType sign = instruction.types[1];
      const PtxType types[] = {type, type, sign};
      return e.registers.elementwise(instruction, types, type, [&](Values v) {
        Value* zero = llvm::Constant::getNullValue(v[2]->getType());
        if (ptx::is_floating(sign)) {
          Value* c = instruction.has(Modifier::ftz) ? flush(e, v[2]) : v[2];
          return b.CreateSelect(b.CreateFCmpOGE(c, zero), v[0], v[1]);
        }
        return b.CreateSelect(b.CreateICmpSGE(v[2], zero), v[0], v[1]);
      });
    }
    default: e.not_refused(instruction);
  }
}

}  // namespace xcuda::device::cpu
