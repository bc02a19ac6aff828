#include "device/cpu/lower/instruction_writer.hpp"

#include <string>
#include <utility>
#include <vector>

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

void InstructionWriter::rewrite(const std::function<void()>& begin,
                                const std::function<void(const Instruction&)>& write) {
  const std::vector<Instruction> before = std::exchange(function_.instructions, {});
  const std::size_t labels = function_.labels.size();
  at_ = {};
  if (!before.empty()) at_.location = before[0].location, at_.line = before[0].line;
  begin();
  std::vector<Index> moved;
  for (const Instruction& each : before) {
    moved.push_back(static_cast<Index>(function_.instructions.size()));
    write(each);
  }
  moved.push_back(static_cast<Index>(function_.instructions.size()));
  for (std::size_t i = 0; i < labels; ++i) function_.labels[i].instruction = moved[function_.labels[i].instruction];
}

Operand InstructionWriter::new_register(ptx::Type type) {
  const auto index = static_cast<ptx::Register>(function_.registers.size());
  function_.registers.push_back(type);
  function_.register_ranges.push_back({"%xcuda_" + std::to_string(index), index, 0, type});
  return reg(index);
}

Operand InstructionWriter::new_local(std::string_view name, std::uint64_t bytes) {
  ptx::Variable variable;
  variable.name = name;
  variable.space = ptx::Space::local;
  variable.type = ptx::Type::b8;
  variable.alignment = 16;
  variable.size = bytes;
  const auto index = static_cast<Index>(function_.variables.size());
  function_.variables.push_back(std::move(variable));
  return named(Operand::Kind::symbol, ptx::SymbolKind::local, index);
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

Index InstructionWriter::begin_guard() {
  const ptx::Register guard = std::exchange(at_.guard, ptx::kNoIndex);
  if (guard == ptx::kNoIndex) return ptx::kNoIndex;
  const Index over = new_label("over");
  jump(guard, over).guard_negated = !at_.guard_negated;
  return over;
}
void InstructionWriter::end_of_guard(Index over) {
  if (over != ptx::kNoIndex) place(over);
}

}  // namespace xcuda::device::cpu
