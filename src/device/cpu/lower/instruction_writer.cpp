#include "device/cpu/lower/instruction_writer.hpp"

#include <string>

#include "device/cpu/lower/splicing.hpp"

namespace xcuda::device::cpu {

using ptx::Index;
using ptx::Instruction;
using ptx::Operand;

Operand reg(ptx::Register index) {
  Operand operand;
  operand.kind = Operand::Kind::reg;
  operand.reg = index;
  return operand;
}
Operand number(std::uint64_t value) {
  Operand operand;
  operand.kind = Operand::Kind::integer;
  operand.bits = value;
  return operand;
}
Operand named(Operand::Kind kind, ptx::SymbolKind symbol, Index index) {
  Operand operand;
  operand.kind = kind;
  operand.symbol_kind = symbol;
  operand.index = index;
  operand.offset = 0;
  return operand;
}

Operand InstructionWriter::new_register(ptx::Type type) {
  const auto index = static_cast<ptx::Register>(function_.registers.size());
  function_.registers.push_back(type);
  function_.register_ranges.push_back({"%xcuda_" + std::to_string(index), index, 0, type});
  return reg(index);
}

Index InstructionWriter::new_label(std::string_view name) {
  const auto index = static_cast<Index>(function_.labels.size());
  function_.labels.push_back({"$xcuda_" + std::string(name) + "_" + std::to_string(index), ptx::kNoIndex});
  return index;
}
void InstructionWriter::place(Index label) {
  function_.labels[label].instruction = static_cast<Index>(function_.instructions.size());
}

Instruction& InstructionWriter::add(ptx::Opcode opcode, std::initializer_list<Operand> operands) {
  Instruction added = make_instruction(function_, at_, opcode, operands);
  added.guard = at_.guard;
  added.guard_negated = at_.guard_negated;
  return function_.instructions.emplace_back(added);
}
void InstructionWriter::move(const Operand& to, const Operand& from, ptx::Type type) {
  typed(add(ptx::Opcode::mov, {to, from}), type);
}
void InstructionWriter::compare(ptx::Modifier comparison, const Operand& result, const Operand& a, const Operand& b,
                                ptx::Type type) {
  Instruction& instruction = typed(add(ptx::Opcode::setp, {result, a, b}), type);
  instruction.modifiers[0] = comparison;
  instruction.modifier_count = instruction.types_at = 1;
}
Instruction& InstructionWriter::typed(Instruction& instruction, ptx::Type type) {
  instruction.types[0] = type;
  instruction.type_count = instruction.outputs = 1;
  return instruction;
}

Instruction& InstructionWriter::jump(ptx::Register guard, Index label) {
  Instruction& instruction = add(ptx::Opcode::bra, {named(Operand::Kind::label, ptx::SymbolKind::none, label)});
  instruction.guard = guard;
  instruction.guard_negated = false;
  return instruction;
}

}  // namespace xcuda::device::cpu
