// mov with packing and unpacking, cvta, isspacep.
#include "device/cpu/emit/families/families.hpp"

namespace xcuda::device::cpu {

using ptx::Space;

namespace {

void pack(Emitter& e, const ptx::Instruction& instruction) {
  const auto operands = e.operands(instruction);
  const auto elements = e.function.elements_of(operands[1]);
  const int bits = ptx::bits_of(instruction.type()), part = bits / static_cast<int>(elements.size());
  llvm::SmallVector<Held, 8> parts;
  for (const Operand& element : elements) parts.push_back(e.registers.read(element, bits_type(part)));
  e.registers.write(operands[0],
                    e.values.map(parts,
                                 [&](auto values) {
                                   Value* whole = nullptr;
                                   for (std::size_t i = 0; i < values.size(); ++i) {
                                     llvm::Type* wide = e.values.integer(bits);
                                     if (auto* vector = llvm::dyn_cast<llvm::VectorType>(values[i]->getType()))
                                       wide = llvm::VectorType::get(wide, vector->getElementCount());
                                     Value* piece = e.b.CreateZExt(values[i], wide);
                                     if (i) piece = e.b.CreateShl(piece, static_cast<std::uint64_t>(part) * i);
                                     whole = whole ? e.b.CreateOr(whole, piece) : piece;
                                   }
                                   return whole;
                                 }),
                    bits_type(bits));
}

void unpack(Emitter& e, const ptx::Instruction& instruction) {
  const auto operands = e.operands(instruction);
  const auto elements = e.function.elements_of(operands[0]);
  const int bits = ptx::bits_of(instruction.type()), part = bits / static_cast<int>(elements.size());
  const Held whole = e.registers.read(operands[1], bits_type(bits));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Held piece = e.values.map({&whole, 1}, [&](auto values) {
      llvm::Type* narrow = e.values.integer(part);
      if (auto* vector = llvm::dyn_cast<llvm::VectorType>(values[0]->getType()))
        narrow = llvm::VectorType::get(narrow, vector->getElementCount());
      return e.b.CreateTrunc(e.b.CreateLShr(values[0], static_cast<std::uint64_t>(part) * i), narrow);
    });
    e.registers.write(elements[i], piece, bits_type(part));
  }
}

void convert_address(Emitter& e, const ptx::Instruction& instruction) {
  const auto operands = e.operands(instruction);
  Held address = e.registers.read(operands[1], instruction.type());
  if (instruction.space == Space::shared || instruction.space == Space::shared_cluster) {
    Value* base = e.b.CreateZExtOrTrunc(e.context.shared_base(), e.values.element(instruction.type()));
    address = e.values.moved(address, instruction.has(Modifier::to) ? e.b.CreateNeg(base) : base);
  }
  e.registers.write(operands[0], address, instruction.type());
}

void is_space(Emitter& e, const ptx::Instruction& instruction) {
  const auto operands = e.operands(instruction);
  const Held address = e.registers.read(operands[1], PtxType::b64);
  const Held answer = e.values.map({&address, 1}, [&](auto values) -> Value* {
    Value* at = values[0];
    auto& b = e.b;
    auto like = [&](Value* scalar) { return at->getType()->isVectorTy() ? e.values.splat(scalar) : scalar; };
    auto inside = [&](Value* base, Value* size) { return b.CreateICmpULT(b.CreateSub(at, like(base)), like(size)); };
    Value* shared =
        inside(e.context.shared_base(),
               b.CreateZExt(e.context.launch_word(offsetof(LaunchAbi, shared_bytes), b.getInt32Ty()), b.getInt64Ty()));
    Value* local = inside(e.context.local_base(), b.getInt64(std::uint64_t{32} * e.plan.local.bytes));
    // A device function does not know its kernel: then all that a kernel may have.
    const std::uint64_t bytes = e.function.entry ? e.function.parameter_bytes : 4096;
    Value* parameter = inside(b.CreatePtrToInt(e.context.parameters(), b.getInt64Ty()), b.getInt64(bytes));
    Value* constant = e.values.constant(shared->getType(), 0);
    for (ptx::Index i = 0; i < e.module.variables.size(); ++i)
      if (const ptx::Variable& variable = e.module.variables[i]; variable.space == Space::constant)
        constant = b.CreateOr(constant, inside(e.context.variable_address(i), b.getInt64(variable.size)));
    switch (instruction.space) {
      case Space::shared:
      case Space::shared_cluster: return shared;
      case Space::local: return local;
      case Space::param: return parameter;
      case Space::global: return b.CreateNot(b.CreateOr(b.CreateOr(shared, local), b.CreateOr(parameter, constant)));
      case Space::constant: return constant;
      default: return e.values.constant(shared->getType(), 0);
    }
  });
  e.registers.write(operands[0], answer, PtxType::pred);
}

}  // namespace

void emit_move(Emitter& e, const ptx::Instruction& instruction) {
  const auto operands = e.operands(instruction);
  if (instruction.opcode == ptx::Opcode::cvta) return convert_address(e, instruction);
  if (instruction.opcode == ptx::Opcode::isspacep) return is_space(e, instruction);
  if (operands[1].kind == Operand::Kind::vector) return pack(e, instruction);
  if (operands[0].kind == Operand::Kind::vector) return unpack(e, instruction);
  Held value = e.registers.read(operands[1], instruction.type());
  if (e.plan.rules().result(instruction).form.is_varying()) value = e.values.varying(e.values.vector_of(value));
  e.registers.write(operands[0], value, instruction.type());
}

}  // namespace xcuda::device::cpu
