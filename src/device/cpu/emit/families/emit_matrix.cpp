#include "device/cpu/abi/matrix_call.hpp"
#include "device/cpu/emit/families/families.hpp"
#include "device/cpu/emit/families/memory_access.hpp"

namespace xcuda::device::cpu {

namespace {

struct Shape {
  Modifier word;
  std::uint8_t m, n;
  std::uint16_t k;
};
constexpr Shape kShapes[] = {
    {Modifier::m16n16k16, 16, 16, 16}, {Modifier::m32n8k16, 32, 8, 16},   {Modifier::m8n32k16, 8, 32, 16},
    {Modifier::m16n16k8, 16, 16, 8},   {Modifier::m8n8k4, 8, 8, 4},       {Modifier::m8n8k16, 8, 8, 16},
    {Modifier::m8n8k32, 8, 8, 32},     {Modifier::m8n8k128, 8, 8, 128},   {Modifier::m16n8k4, 16, 8, 4},
    {Modifier::m16n8k8, 16, 8, 8},     {Modifier::m16n8k16, 16, 8, 16},   {Modifier::m16n8k32, 16, 8, 32},
    {Modifier::m16n8k64, 16, 8, 64},   {Modifier::m16n8k128, 16, 8, 128}, {Modifier::m16n8k256, 16, 8, 256},
};

void set_shape(Emitter& e, const Instruction& instruction, MatrixCall& call) {
  const Modifier word = instruction.find(ptx::Category::shape);
  for (const Shape& shape : kShapes)
    if (shape.word == word) {
      call.m = shape.m, call.n = shape.n, call.k = shape.k;
      return;
    }
  e.not_refused(instruction);
}

// The registers of an instruction in memory while it runs.
class Registers {
 public:
  Registers(Emitter& e, MatrixCall& call) : e_(e), call_(call) {}

  void out(int place, std::span<const Operand> operands, PtxType type) {
    count(place, operands);
    outputs_ = operands;
    output_type_ = type;
  }
  void in(int place, std::span<const Operand> operands, PtxType type) {
    count(place, operands);
    for (const Operand& operand : operands) values_.push_back(e_.registers.read_vector(operand, type));
  }

  void metadata(const Operand& operand) { values_.push_back(e_.registers.read_vector(operand, PtxType::b32)); }

  void run(const Instruction& instruction, std::span<Value* const> more = {}) {
    auto& b = e_.b;
    const std::size_t total = outputs_.size() + values_.size();
    Value* slot = e_.slots.call_memory(32 * total);
    auto at = [&](std::size_t index) {
      return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), slot, kBytesOfMatrixRegister * index);
    };
    for (std::size_t i = 0; i < values_.size(); ++i)
      b.CreateAlignedStore(values_[i], at(outputs_.size() + i), Align(64));
    const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(call_);
    llvm::SmallVector<Value*, 5> arguments{b.getInt64(words[0]), b.getInt64(words[1]),
                                           b.CreatePtrToInt(slot, b.getInt64Ty())};
    arguments.append(more.begin(), more.end());
    e_.services.call(Service::matrix, arguments, e_.masks.active_mask(), instruction);
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      e_.registers.write(
          outputs_[i],
          e_.values.varying(b.CreateAlignedLoad(e_.values.lanes(e_.values.element(output_type_)), at(i), Align(64))),
          output_type_);
  }

 private:
  void count(int place, std::span<const Operand> operands) {
    call_.registers[place] = static_cast<std::uint8_t>(operands.size());
  }

  Emitter& e_;
  MatrixCall& call_;
  std::span<const Operand> outputs_;
  PtxType output_type_ = PtxType::b32;
  llvm::SmallVector<Value*, 24> values_;
};

PtxType bits(PtxType type) { return type == PtxType::f64 ? PtxType::b64 : PtxType::b32; }
std::uint8_t number(PtxType type) { return static_cast<std::uint8_t>(type); }

void multiply(Emitter& e, const Instruction& instruction) {
  const auto operands = e.operands(instruction);
  MatrixCall call{.action =
                      instruction.opcode == Opcode::mma ? MatrixAction::multiply_mma : MatrixAction::multiply_wmma};
  set_shape(e, instruction, call);
  const bool halves = instruction.type_count == 2;  // wmma of f16 names d and c only
  const PtxType d = instruction.types[0], a = halves ? PtxType::f16 : instruction.types[1],
                b = halves ? PtxType::f16 : instruction.types[2];
  const PtxType c = halves ? instruction.types[1] : instruction.types[3];
  const bool volta =
      instruction.opcode == Opcode::mma && call.m == 8 && call.k == 4 && a == PtxType::f16;  // four of them in a warp
  call.d_type = number(d), call.a_type = number(a), call.b_type = number(b), call.c_type = number(c);
  if (volta) {
    call.action = MatrixAction::multiply_quads;
    int seen = 0;  // of the two layouts
    for (int i = 0; i < instruction.modifier_count; ++i) {
      const Modifier layout = instruction.modifiers[static_cast<std::size_t>(i)];
      if (layout != Modifier::row && layout != Modifier::col) continue;
      if (seen == 0 && layout == Modifier::col) call.flags |= MatrixCall::kColumns;
      if (seen == 1 && layout == Modifier::row) call.flags |= MatrixCall::kBRows;
      ++seen;
    }
  }
  if (instruction.has(Modifier::satfinite)) call.flags |= MatrixCall::kSaturates;
  if (instruction.has(Modifier::and_)) call.flags |= MatrixCall::kAnds;
  Registers registers(e, call);
  registers.out(0, elements(e, operands[0]), bits(d));
  registers.in(1, elements(e, operands[1]), bits(a));
  registers.in(2, elements(e, operands[2]), bits(b));
  registers.in(3, elements(e, operands[3]), bits(c));
  if (instruction.has_any({Modifier::sp, Modifier::sp_ordered_metadata})) {
    call.flags |= MatrixCall::kSparse;
    call.selector = static_cast<std::uint8_t>(operands[5].bits);
    registers.metadata(operands[4]);
  }
  registers.run(instruction);
}

// The address in global or generic space, or the offset in shared memory.
Value* address(Emitter& e, const Instruction& instruction, const Operand& operand, MatrixCall& call) {
  if (instruction.space == ptx::Space::shared) call.flags |= MatrixCall::kShared;
  return e.values.vector_of(shared_address(e, operand));
}

void move(Emitter& e, const Instruction& instruction) {  // wmma.load and wmma.store
  auto& b = e.b;
  const auto operands = e.operands(instruction);
  const bool stores = instruction.has(Modifier::store);
  MatrixCall call{.action = stores ? MatrixAction::store : MatrixAction::load};
  set_shape(e, instruction, call);
  call.part = instruction.has(Modifier::a)   ? MatrixPart::a
              : instruction.has(Modifier::b) ? MatrixPart::b
                                             : MatrixPart::c;
  call.a_type = number(instruction.type());
  if (instruction.has(Modifier::col)) call.flags |= MatrixCall::kColumns;
  const Operand& where = operands[stores ? 0 : 1];
  const auto fragment = elements(e, operands[stores ? 1 : 0]);
  Value* at = address(e, instruction, where, call);
  Value* stride = operands.size() > 2 ? e.registers.read_vector(operands[2], PtxType::b32)
                                      : e.values.constant(e.values.lanes(b.getInt32Ty()), 0);
  Registers registers(e, call);
  if (stores)
    registers.in(0, fragment, bits(instruction.type()));
  else
    registers.out(0, fragment, bits(instruction.type()));
  Value* more[] = {at, stride};
  registers.run(instruction, more);
}

void load_matrices(Emitter& e, const Instruction& instruction) {
  const auto operands = e.operands(instruction);
  MatrixCall call{.action = MatrixAction::load_matrices};
  if (instruction.has(Modifier::trans)) call.flags |= MatrixCall::kTransposed;
  Value* at = address(e, instruction, operands[1], call);
  Registers registers(e, call);
  registers.out(0, elements(e, operands[0]), PtxType::b32);
  Value* more[] = {at};
  registers.run(instruction, more);
}

void transpose(Emitter& e, const Instruction& instruction) {
  const auto operands = e.operands(instruction);
  MatrixCall call{.action = MatrixAction::transpose};
  Registers registers(e, call);
  registers.out(0, {&operands[0], 1}, PtxType::b32);
  registers.in(1, {&operands[1], 1}, PtxType::b32);
  registers.run(instruction);
}

}  // namespace

void emit_matrix(Emitter& e, const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::mma: return multiply(e, instruction);
    case Opcode::ldmatrix: return load_matrices(e, instruction);
    case Opcode::movmatrix: return transpose(e, instruction);
    default: break;
  }
  if (instruction.has(Modifier::load) || instruction.has(Modifier::store)) return move(e, instruction);
  if (instruction.has(Modifier::mma)) return multiply(e, instruction);
  e.not_refused(instruction);
}

}  // namespace xcuda::device::cpu
