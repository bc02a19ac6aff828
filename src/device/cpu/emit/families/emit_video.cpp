// The video instructions: two or four small integers in a word (vadd2, vabsdiff4, ...), and the scalar ones that pick a
// byte or half of each operand. A second operation, where there is one, is on the whole word. The words are those of
// the PTX ISA, "Scalar Video Instructions" and "SIMD Video Instructions". No GPU since Volta has the scalar ones: its
// code for them consists of other instructions, and where that differs from the ISA (saturation, second operations,
// d.h1, vmad) so do these. docs/cpu-device.md gives the results.
#include "device/cpu/emit/families/families.hpp"

namespace xcuda::device::cpu {

namespace {

enum class Action : std::uint8_t { add, sub, abs_difference, average, least, greatest, compare, left, right };

struct Video {
  Opcode opcode;
  Action action;
  unsigned parts;  // of a word
};
constexpr Video kVideos[] = {
    {Opcode::vadd, Action::add, 1},
    {Opcode::vadd2, Action::add, 2},
    {Opcode::vadd4, Action::add, 4},
    {Opcode::vsub, Action::sub, 1},
    {Opcode::vsub2, Action::sub, 2},
    {Opcode::vsub4, Action::sub, 4},
    {Opcode::vabsdiff, Action::abs_difference, 1},
    {Opcode::vabsdiff2, Action::abs_difference, 2},
    {Opcode::vabsdiff4, Action::abs_difference, 4},
    {Opcode::vavrg2, Action::average, 2},
    {Opcode::vavrg4, Action::average, 4},
    {Opcode::vmin, Action::least, 1},
    {Opcode::vmin2, Action::least, 2},
    {Opcode::vmin4, Action::least, 4},
    {Opcode::vmax, Action::greatest, 1},
    {Opcode::vmax2, Action::greatest, 2},
    {Opcode::vmax4, Action::greatest, 4},
    {Opcode::vset, Action::compare, 1},
    {Opcode::vset2, Action::compare, 2},
    {Opcode::vset4, Action::compare, 4},
    {Opcode::vshl, Action::left, 1},
    {Opcode::vshr, Action::right, 1},
};

llvm::CmpInst::Predicate comparison_of(Emitter& e, const Instruction& instruction) {
  switch (instruction.find(ptx::Category::comparison)) {
    case Modifier::eq: return llvm::CmpInst::ICMP_EQ;
    case Modifier::ne: return llvm::CmpInst::ICMP_NE;
    case Modifier::lt: return llvm::CmpInst::ICMP_SLT;
    case Modifier::le: return llvm::CmpInst::ICMP_SLE;
    case Modifier::gt: return llvm::CmpInst::ICMP_SGT;
    case Modifier::ge: return llvm::CmpInst::ICMP_SGE;
    default: e.not_refused(instruction);
  }
}

// Exact, in 64 bits.
Value* act(Emitter& e, const Instruction& instruction, Action action, Value* x, Value* y) {
  auto& b = e.b;
  switch (action) {
    case Action::compare: return b.CreateZExt(b.CreateICmp(comparison_of(e, instruction), x, y), x->getType());
    case Action::left:
    case Action::right: {
      Value* by = instruction.has(Modifier::wrap)
                      ? b.CreateAnd(y, e.values.constant(y->getType(), 31))
                      : b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, y, e.values.constant(y->getType(), 32));
      return action == Action::left ? b.CreateShl(x, by) : b.CreateAShr(x, by);
    }
    case Action::add: return b.CreateAdd(x, y);
    case Action::sub: return b.CreateSub(x, y);
    case Action::abs_difference: return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, b.CreateSub(x, y), b.getFalse());
    case Action::average: {  // rounded away from zero
      Value* sum = b.CreateAdd(x, y);
      Value* up = b.CreateZExt(b.CreateICmpSGE(sum, e.values.constant(sum->getType(), 0)), sum->getType());
      return b.CreateAShr(b.CreateAdd(sum, up), 1);
    }
    case Action::least: return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
    case Action::greatest: return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y);
  }
  return x;
}

Value* part_of(Emitter& e, Value* word, unsigned index, unsigned bits, Signedness sign) {  // as i64
  auto& b = e.b;
  Type* wide = word->getType()->isVectorTy() ? static_cast<Type*>(e.values.lanes(b.getInt64Ty())) : b.getInt64Ty();
  Value* up = b.CreateShl(b.CreateZExt(word, wide), 64 - bits * (index + 1));
  return is_signed(sign) ? b.CreateAShr(up, 64 - bits) : b.CreateLShr(up, 64 - bits);
}

Value* clamped(Emitter& e, Value* value, unsigned bits, Signedness sign) {
  auto& b = e.b;
  const std::int64_t greatest = (std::int64_t{1} << (is_signed(sign) ? bits - 1 : bits)) - 1,
                     least = is_signed(sign) ? -greatest - 1 : 0;
  value = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value,
                                  e.values.constant(value->getType(), static_cast<std::uint64_t>(least)));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value,
                                 e.values.constant(value->getType(), static_cast<std::uint64_t>(greatest)));
}

// What an operand names of its register: bits wide, the index'th from below.
struct Part {
  unsigned bits = 32, index = 0;
};
Part part_named(const Operand& operand) {
  if (operand.count == 0) return {};
  return {operand.index & Operand::kHalves ? 16u : 8u, operand.part(0)};
}

Value* with_part(Emitter& e, Value* word, Value* value, const Part& part) {
  auto& b = e.b;
  if (part.bits == 32) return value;
  Type* type = word->getType();
  const std::uint64_t ones = (std::uint64_t{1} << part.bits) - 1, at = std::uint64_t{part.bits} * part.index;
  Value* kept = b.CreateAnd(word, e.values.constant(type, ~(ones << at)));
  return b.CreateOr(kept, b.CreateShl(b.CreateAnd(value, e.values.constant(type, ones)), at));
}

// The registers as words, whatever precedes or follows them.
llvm::SmallVector<Held, 3> words_of(Emitter& e, std::span<const Operand> operands) {
  llvm::SmallVector<Held, 3> words;
  for (Operand operand : operands) {
    operand.negated = false;
    words.push_back(e.registers.read(operand, PtxType::b32));
  }
  return words;
}

struct Signs {
  Signedness result, x, y;
};

// What .sat makes of a scalar instruction's result. Only vshl and vshr keep to the type of the result both ways.
Value* saturated(Emitter& e, const Video& video, Value* value, unsigned bits, Signedness sign) {
  auto& b = e.b;
  Type* type = value->getType();
  const bool shifts = video.action == Action::left || video.action == Action::right;
  if (shifts) return clamped(e, b.CreateAShr(b.CreateShl(value, 30), 30), 32, sign);  // of 34 bits
  if (bits != 32) {                                                                   // what is negative is large, too
    const std::uint64_t greatest = (std::uint64_t{1} << (is_signed(sign) ? bits - 1 : bits)) - 1;
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, value, e.values.constant(type, greatest));
  }
  if (is_signed(sign)) return clamped(e, value, 32, Signedness::signed_);
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, e.values.constant(type, 0));  // no upper limit
}

// The least or greatest of a scalar instruction's result and c: of 64 bits, signed or unsigned as the result is.
Value* second_extreme(Emitter& e, const Instruction& instruction, const Video& video, Value* value, Value* c,
                      Signedness sign) {
  auto& b = e.b;
  const bool shifts = video.action == Action::left || video.action == Action::right;
  if (video.action == Action::add || video.action == Action::sub || (shifts && instruction.has(Modifier::sat)))
    value = b.CreateSExt(b.CreateTrunc(value, c->getType()), value->getType());
  const bool least = instruction.has(Modifier::min);
  const auto which = is_signed(sign) ? (least ? llvm::Intrinsic::smin : llvm::Intrinsic::smax)
                                     : (least ? llvm::Intrinsic::umin : llvm::Intrinsic::umax);
  return b.CreateBinaryIntrinsic(which, value, part_of(e, c, 0, 32, sign));
}

// vadd.s32.u32.s32.sat.add d, a.b0, b.h1, c and d.b2, a, b, c: a second operation, or a part of c replaced.
void emit_scalar(Emitter& e, const Instruction& instruction, const Video& video, const Signs& signs) {
  auto& b = e.b;
  const auto operands = e.operands(instruction);
  const Part to = part_named(operands[0]), x = part_named(operands[1]), y = part_named(operands[2]);
  const bool adds = instruction.has(Modifier::add),
             extreme = instruction.has(Modifier::min) || instruction.has(Modifier::max);
  const bool merges = to.bits != 32;
  const auto words = words_of(e, operands.subspan(1));
  const Held made = e.values.map(words, [&](Values v) {
    Type* type = v[0]->getType();
    Value* result = act(e, instruction, video.action, part_of(e, v[0], x.index, x.bits, signs.x),
                        part_of(e, v[1], y.index, y.bits, signs.y));
    if (instruction.has(Modifier::sat)) result = saturated(e, video, result, to.bits, signs.result);
    if (extreme) result = second_extreme(e, instruction, video, result, v[2], signs.result);
    Value* narrow = b.CreateTrunc(result, type);
    if (adds) return b.CreateAdd(narrow, v[2]);
    if (!merges) return narrow;
    // Into d.h1 goes the upper half of the result; into all other parts its lowest bits.
    return with_part(e, v[2], to.bits == 16 && to.index == 1 ? b.CreateLShr(narrow, 16) : narrow, to);
  });
  e.registers.write(operands[0], made, PtxType::b32);
}

// vadd2.u32.u32.u32.sat d.h1, a.h10, b.h32, c: parts of a and b, numbered through; what the mask leaves out is c's.
void emit_packed(Emitter& e, const Instruction& instruction, const Video& video, const Signs& signs) {
  auto& b = e.b;
  const auto operands = e.operands(instruction);
  const unsigned parts = video.parts, bits = 32 / parts;
  unsigned mask = operands[0].count ? 0 : (1u << parts) - 1;
  for (ptx::Index i = 0; i < operands[0].count; ++i) mask |= 1u << operands[0].part(i);
  const auto words = words_of(e, operands.subspan(1));
  const Held made = e.values.map(words, [&](Values v) {
    Type* type = v[0]->getType();
    auto element = [&](const Operand& selection, unsigned first, unsigned i, Signedness sign) {
      const unsigned index = selection.count ? selection.part(i) : first + i;
      return part_of(e, v[index / parts], index % parts, bits, sign);
    };
    Value *sum = v[2], *packed = v[2];
    for (unsigned i = 0; i < parts; ++i) {
      if (!(mask >> i & 1)) continue;
      Value* result = act(e, instruction, video.action, element(operands[1], 0, i, signs.x),
                          element(operands[2], parts, i, signs.y));
      if (instruction.has(Modifier::sat)) result = clamped(e, result, bits, signs.result);
      Value* narrow = b.CreateTrunc(result, type);
      sum = b.CreateAdd(sum, narrow);
      packed = with_part(e, packed, narrow, {bits, i});
    }
    return instruction.has(Modifier::add) ? sum : packed;
  });
  e.registers.write(operands[0], made, PtxType::b32);
}

// vmad.s32.u32.s32.sat.shr7 d, a.b0, -b.h1, c. Whole registers are signed, whatever their type; the sum has 64 bits.
void emit_product(Emitter& e, const Instruction& instruction) {
  auto& b = e.b;
  const auto operands = e.operands(instruction);
  const bool minus_product = operands[1].negated != operands[2].negated, minus_sum = operands[3].negated;
  const bool plus_one = instruction.has(Modifier::po);
  const auto x_sign = ptx::signedness(instruction.types[1]), y_sign = ptx::signedness(instruction.types[2]);
  const auto sign = minus_product || minus_sum || is_signed(x_sign) ? Signedness::signed_ : y_sign;
  const Part x = part_named(operands[1]), y = part_named(operands[2]);
  const std::uint64_t shift = instruction.has(Modifier::shr7) ? 7 : instruction.has(Modifier::shr15) ? 15 : 0;
  const auto words = words_of(e, operands.subspan(1));
  const Held made = e.values.map(words, [&](Values v) {
    Value* product = b.CreateMul(part_of(e, v[0], x.index, x.bits, x.bits == 32 ? Signedness::signed_ : x_sign),
                                 part_of(e, v[1], y.index, y.bits, y.bits == 32 ? Signedness::signed_ : y_sign));
    Value* sum = part_of(e, v[2], 0, 32, Signedness::signed_);
    if (minus_product) product = b.CreateNeg(product);
    if (minus_sum) sum = b.CreateNeg(sum);
    Value* result = b.CreateAdd(product, sum);
    if (plus_one) result = b.CreateAdd(result, e.values.constant(result->getType(), 1));
    if (shift) result = is_signed(sign) ? b.CreateAShr(result, shift) : b.CreateLShr(result, shift);
    if (instruction.has(Modifier::sat)) result = clamped(e, result, 32, sign);
    return b.CreateTrunc(result, v[0]->getType());
  });
  e.registers.write(operands[0], made, PtxType::b32);
}

}  // namespace

void emit_video(Emitter& e, const Instruction& instruction) {
  if (instruction.opcode == Opcode::vmad) return emit_product(e, instruction);
  const Video* video = nullptr;
  for (const Video& each : kVideos)
    if (each.opcode == instruction.opcode) video = &each;
  const bool compares = video && video->action == Action::compare;  // its result has no type: 0 or 1
  if (!video) e.not_refused(instruction);
  const std::size_t first = compares ? 0 : 1;
  const Signs signs{ptx::signedness(instruction.types[0]), ptx::signedness(instruction.types[first]),  // vset: of a
                    ptx::signedness(instruction.types[first + 1])};
  if (video->parts == 1) return emit_scalar(e, instruction, *video, signs);
  emit_packed(e, instruction, *video, signs);
}

}  // namespace xcuda::device::cpu
