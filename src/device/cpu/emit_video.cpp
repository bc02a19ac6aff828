// The video instructions: two or four small integers in a word (vadd2, vabsdiff4, ...), and the scalar ones that pick a
// byte or half of each operand. A second operation, where there is one, is on the whole word.
#include "device/cpu/emit_family.hpp"

namespace xcuda::device::cpu {

using llvm::Type;

namespace {

enum class Action : std::uint8_t { add, sub, abs_difference, average, least, greatest };

struct Video {
  Opcode opcode;
  Action action;
  unsigned parts;  // of a word
};
constexpr Video videos[] = {
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
};

// Exact, in 64 bits.
Value* act(Emitter& e, Action action, Value* x, Value* y) {
  auto& b = e.b();
  switch (action) {
    case Action::add:
      return b.CreateAdd(x, y);
    case Action::sub:
      return b.CreateSub(x, y);
    case Action::abs_difference:
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, b.CreateSub(x, y), b.getFalse());
    case Action::average: {  // rounded away from zero
      Value* sum = b.CreateAdd(x, y);
      Value* up = b.CreateZExt(b.CreateICmpSGE(sum, e.constant(sum->getType(), 0)), sum->getType());
      return b.CreateAShr(b.CreateAdd(sum, up), 1);
    }
    case Action::least:
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
    case Action::greatest:
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y);
  }
  return x;
}

Value* part_of(Emitter& e, Value* word, unsigned index, unsigned bits, bool is_signed) {  // as i64
  auto& b = e.b();
  Type* wide = word->getType()->isVectorTy() ? static_cast<Type*>(e.lanes(b.getInt64Ty())) : b.getInt64Ty();
  Value* up = b.CreateShl(b.CreateZExt(word, wide), 64 - bits * (index + 1));
  return is_signed ? b.CreateAShr(up, 64 - bits) : b.CreateLShr(up, 64 - bits);
}

Value* clamped(Emitter& e, Value* value, unsigned bits, bool is_signed) {
  auto& b = e.b();
  const std::int64_t greatest = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1,
                     least = is_signed ? -greatest - 1 : 0;
  value = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value,
                                  e.constant(value->getType(), static_cast<std::uint64_t>(least)));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value,
                                 e.constant(value->getType(), static_cast<std::uint64_t>(greatest)));
}

}  // namespace

void emit_video(Emitter& e, const Instruction& instruction) {
  auto& b = e.b();
  const Video* video = nullptr;
  for (const Video& each : videos)
    if (each.opcode == instruction.opcode) video = &each;
  const auto operands = e.operands(instruction);
  // Selectors (.h0, .b2, masks) and the second operations of the scalar forms are not emitted by the compiler.
  const bool plain =
      instruction.modifier_count == (instruction.has(Modifier::sat) ? 1 : 0) + (instruction.has(Modifier::add) ? 1 : 0);
  if (!video || instruction.type_count != 3 || !plain || operands.size() > 4) e.unsupported(instruction);
  const unsigned bits = 32 / video->parts;
  const bool accumulates = instruction.has(Modifier::add);
  if (accumulates != (operands.size() == 4) && video->parts == 1) e.unsupported(instruction);
  const bool to_signed = ptx::is_signed(instruction.types[0]), x_signed = ptx::is_signed(instruction.types[1]),
             y_signed = ptx::is_signed(instruction.types[2]);
  const PtxType word = PtxType::b32;
  const PtxType types[] = {word, word, word};
  e.elementwise(instruction, std::span(types, operands.size() - 1), word, [&](Values v) {
    Type* type = v[0]->getType();
    Value* sum = operands.size() == 4 ? v[2] : e.constant(type, 0);
    Value* packed = e.constant(type, 0);
    for (unsigned i = 0; i < video->parts; ++i) {
      Value* result = act(e, video->action, part_of(e, v[0], i, bits, x_signed), part_of(e, v[1], i, bits, y_signed));
      if (instruction.has(Modifier::sat)) result = clamped(e, result, bits, to_signed);
      Value* narrow = b.CreateTrunc(result, type);
      sum = b.CreateAdd(sum, narrow);
      const std::uint64_t ones = (std::uint64_t{1} << bits) - 1;
      packed = b.CreateOr(packed, b.CreateShl(b.CreateAnd(narrow, e.constant(type, ones)), bits * i));
    }
    return accumulates ? sum : packed;
  });
}

}  // namespace xcuda::device::cpu
