#include "device/cpu/plan/origin.hpp"

namespace xcuda::device::cpu {

using ptx::Instruction;
using ptx::Meaning;
using ptx::Operand;
using ptx::SymbolKind;
using Kind = Origin::Kind;

namespace {

Origin join(const Origin& a, const Origin& b) {
  if (a == b || b.kind == Kind::none) return a;
  if (a.kind == Kind::none) return b;
  if (a.is_array() && b.is_array() && a.index == b.index && (a.kind == Kind::variable) == (b.kind == Kind::variable))
    return {Kind::parameter, a.index};
  return {Kind::unknown, 0};
}

Origin sum(const Origin& a, const Origin& b) {
  if (a.kind == Kind::unknown || b.kind == Kind::unknown) return {Kind::unknown, 0};
  auto pointer = [](const Origin& o) { return o.kind == Kind::parameter || o.kind == Kind::variable; };
  if (pointer(a)) return pointer(b) ? Origin{Kind::unknown, 0} : a;
  if (pointer(b)) return b;
  if (a.kind == Kind::candidate) return b.kind == Kind::candidate ? Origin{Kind::unknown, 0} : a;
  if (b.kind == Kind::candidate) return b;
  return a.kind == Kind::none ? b : a;
}

Origin operand_origin(const Operand& operand, const std::vector<Origin>& registers) {
  switch (operand.kind) {
    case Operand::Kind::reg: return operand.reg == ptx::kNoIndex ? Origin{} : registers[operand.reg];
    case Operand::Kind::integer: return {operand.bits ? Kind::number : Kind::none, 0};
    case Operand::Kind::symbol:
      if (operand.symbol_kind == SymbolKind::variable) return {Kind::variable, operand.index};
      return {Kind::unknown, 0};
    default: return {Kind::number, 0};
  }
}

Origin result_of(const ptx::Function& function, const Instruction& instruction, const std::vector<Origin>& registers) {
  const auto operands = function.operands_of(instruction);
  auto at = [&](std::size_t i) { return operand_origin(operands[i], registers); };
  switch (instruction.meaning()) {
    case Meaning::copy: return operands.size() > 1 ? at(1) : Origin{};
    case Meaning::address: {
      const Origin source = at(1);
      return source.kind == Kind::candidate ? Origin{Kind::parameter, source.index} : source;
    }
    case Meaning::sum: return sum(at(1), at(2));
    case Meaning::difference: {
      const Origin a = at(1), b = at(2);
      if (a.is_array() && b.is_array()) return {Kind::number, 0};
      return sum(a, b.is_array() ? Origin{Kind::unknown, 0} : b);
    }
    case Meaning::product_sum:
      return at(3).is_array() ? at(3) : Origin{at(3).kind == Kind::unknown ? Kind::unknown : Kind::number, 0};
    case Meaning::choice: return join(at(1), at(2));
    case Meaning::load:
      if (instruction.is(ptx::Trait::pointers) && function.entry && instruction.space == ptx::Space::param &&
          operands[1].symbol_kind == SymbolKind::parameter && ptx::bits_of(instruction.type()) == 64 &&
          operands[1].reg == ptx::kNoIndex && instruction.vector == 1)
        return {Kind::candidate,
                static_cast<ptx::Index>(function.parameters[operands[1].index].offset + operands[1].offset)};
      break;
    case Meaning::bit_and:  // an aligned pointer
      if (at(1).is_array() && operands[2].kind == Operand::Kind::integer) return at(1);
      break;
    default: break;
  }
  return {instruction.is(ptx::Trait::pointers) ? Kind::unknown : Kind::number, 0};
}

void assign(std::vector<Origin>& registers, ptx::Register reg, const Origin& origin, bool& changed) {
  if (reg == ptx::kNoIndex) return;
  const Origin joined = join(registers[reg], origin);
  if (joined == registers[reg]) return;
  registers[reg] = joined;
  changed = true;
}

}  // namespace

std::vector<Origin> find_origins(const ptx::Function& function) {
  std::vector<Origin> registers(function.registers.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction& instruction : function.instructions) {
      const auto operands = function.operands_of(instruction);
      for (std::size_t i = 0; i < instruction.outputs && i < operands.size(); ++i) {
        if (operands[i].kind == Operand::Kind::vector) {
          for (const Operand& element : function.elements_of(operands[i]))
            if (element.kind == Operand::Kind::reg) assign(registers, element.reg, {Kind::unknown, 0}, changed);
        } else if (operands[i].kind == Operand::Kind::reg) {
          assign(registers, operands[i].reg, result_of(function, instruction, registers), changed);
        }
      }
    }
  }
  return registers;
}

Origin origin_of(const Operand& address, const std::vector<Origin>& registers) {
  if (address.kind != Operand::Kind::address) return {Kind::unknown, 0};
  if (address.symbol_kind == SymbolKind::variable) return {Kind::variable, address.index};
  if (address.reg == ptx::kNoIndex) return {Kind::unknown, 0};
  const Origin origin = registers[address.reg];
  return origin.is_array() ? origin : Origin{Kind::unknown, 0};
}

}  // namespace xcuda::device::cpu
