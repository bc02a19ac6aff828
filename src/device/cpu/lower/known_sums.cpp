#include "device/cpu/lower/known_sums.hpp"

#include <bit>

namespace xcuda::device::cpu {

using ptx::Function;
using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;

namespace {

struct Field {  // bits of a number
  std::uint64_t from, count;
};
std::optional<Field> field_of(const Function& function, const Instruction& instruction, std::size_t operand, int bits) {
  const auto operands = function.operands_of(instruction);
  if (operands.size() != operand + 2) return std::nullopt;
  const Operand &from = operands[operand], &count = operands[operand + 1];
  const auto width = static_cast<std::uint64_t>(bits);
  if (from.kind != Operand::Kind::integer || count.kind != Operand::Kind::integer || count.bits == 0 ||
      from.bits >= width || count.bits > width - from.bits)
    return std::nullopt;
  return Field{from.bits, count.bits};
}

}  // namespace

Polynomial KnownSums::known(ptx::Register reg, Site site) {
  const auto known = sites_.find(site);
  return known != sites_.end() ? known->second : sums.value(site, reg, ptx::bits_of(function_.registers[reg]));
}

KnownSums::Result KnownSums::operand(const Operand& operand, int bits, const Held& held) {
  if (operand.kind == Operand::Kind::integer) return sums.constant(operand.bits, bits);
  if (operand.kind != Operand::Kind::reg || operand.reg == ptx::kNoIndex || operand.negated || operand.count)
    return std::nullopt;
  const ptx::Type type = function_.registers[operand.reg];
  if (!is_whole(type) || ptx::bits_of(type) != bits) return std::nullopt;
  return known(operand.reg, held[operand.reg]);
}

KnownSums::Result KnownSums::result_of(const Instruction& instruction, const Held& held) {
  const ptx::Type type = instruction.type();
  if (!is_whole(type) || instruction.has_any({Modifier::sat, Modifier::cc, Modifier::hi})) return std::nullopt;
  const auto operands = function_.operands_of(instruction);
  const int bits = ptx::bits_of(type);
  const auto at = [&](std::size_t i) { return i < operands.size() ? operand(operands[i], bits, held) : std::nullopt; };
  if (instruction.opcode == Opcode::cvt) return converted(instruction, held);
  const Result a = at(1);
  if (!a) return std::nullopt;
  switch (instruction.opcode) {
    case Opcode::mov: return a;
    case Opcode::neg: return sums.sum(sums.constant(0, bits), *a, kMinusOne);
    case Opcode::not_: return sums.sum(sums.constant(kMinusOne, bits), *a, kMinusOne);
    case Opcode::bfe: return extracted(instruction, *a);
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::and_: return by_number(instruction, *a);
    default: break;
  }
  const Result b = at(2);
  if (!b) return std::nullopt;
  switch (instruction.opcode) {
    case Opcode::add: return sums.sum(*a, *b);
    case Opcode::sub: return sums.sum(*a, *b, kMinusOne);
    case Opcode::mul: return product(instruction, *a, *b);
    case Opcode::bfi: return inserted(instruction, *a, *b);
    case Opcode::mad: {
      const Result factors = product(instruction, *a, *b);
      const Result c = factors ? operand(operands[3], sums.bits(*factors), held) : std::nullopt;
      return c ? sums.sum(*factors, *c) : std::nullopt;
    }
    case Opcode::div:
      if (ptx::is_signed(type)) return std::nullopt;
      return sums.quotient(*a, *b);
    case Opcode::rem: {  // by zero it is what it is
      const auto divisor = sums.constant_of(*b);
      if (ptx::is_signed(type) || !divisor || *divisor == 0) return std::nullopt;
      return sums.sum(*a, sums.quotient(*a, *b), 0 - *divisor);
    }
    default: return std::nullopt;
  }
}

KnownSums::Result KnownSums::product(const Instruction& instruction, Polynomial a, Polynomial b) {
  if (!instruction.has(Modifier::wide)) return sums.product(a, b);
  if (sums.bits(a) != 32) return std::nullopt;
  const bool negative = ptx::is_signed(instruction.type());
  const Result x = negative ? sums.sign_extended(a) : sums.zero_extended(a);
  const Result y = negative ? sums.sign_extended(b) : sums.zero_extended(b);
  return x && y ? sums.product(*x, *y) : std::nullopt;
}

KnownSums::Result KnownSums::converted(const Instruction& instruction, const Held& held) {
  const ptx::Type to = instruction.types[0], from = instruction.types[1];
  if (instruction.type_count != 2 || !is_whole(to) || !is_whole(from)) return std::nullopt;
  const auto a = operand(function_.operands_of(instruction)[1], ptx::bits_of(from), held);
  if (!a || ptx::bits_of(to) == ptx::bits_of(from)) return a;
  if (ptx::bits_of(to) == 32) return sums.low(*a);
  return ptx::is_signed(from) ? sums.sign_extended(*a) : sums.zero_extended(*a);
}

Polynomial KnownSums::quotient_by_power(Polynomial a, std::uint64_t power) {
  return sums.quotient(a, sums.constant(std::uint64_t{1} << power, sums.bits(a)));
}
// a, without its lowest bits.
KnownSums::Result KnownSums::cleared(Polynomial a, std::uint64_t power) {
  return sums.sum(sums.constant(0, sums.bits(a)), quotient_by_power(a, power), std::uint64_t{1} << power);
}

KnownSums::Result KnownSums::by_number(const Instruction& instruction, Polynomial a) {
  const Operand& number = function_.operands_of(instruction)[2];
  if (number.kind != Operand::Kind::integer) return std::nullopt;
  const int bits = sums.bits(a);
  const auto width = static_cast<std::uint64_t>(bits);
  if (instruction.opcode == Opcode::and_) {
    const std::uint64_t ones = width == 64 ? kMinusOne : 0xffff'ffff, mask = number.bits & ones;
    if (mask == 0 || mask == ones) return std::nullopt;
    const std::uint64_t above = ~mask & ones;  // of an upper mask ...1000, 0111
    if ((above & (above + 1)) == 0) return cleared(a, static_cast<std::uint64_t>(std::countr_zero(mask)));
    if ((mask & (mask + 1)) != 0) return std::nullopt;
    return lowest(a, static_cast<std::uint64_t>(std::countr_zero(above)));
  }
  if (number.bits >= width) return std::nullopt;
  if (instruction.opcode == Opcode::shl) return sums.sum(sums.constant(0, bits), a, std::uint64_t{1} << number.bits);
  if (ptx::is_signed(instruction.type())) return sums.shift(a, static_cast<unsigned>(number.bits));
  return quotient_by_power(a, number.bits);
}

// a, without what is above its lowest bits.
KnownSums::Result KnownSums::lowest(Polynomial a, std::uint64_t count) {
  if (count == static_cast<std::uint64_t>(sums.bits(a))) return a;
  const Result above = cleared(a, count);
  return above ? sums.sum(a, *above, kMinusOne) : std::nullopt;
}

// bfe: bits from a place on.
KnownSums::Result KnownSums::extracted(const Instruction& instruction, Polynomial a) {
  const auto field = field_of(function_, instruction, 2, sums.bits(a));
  if (!field || ptx::is_signed(instruction.type())) return std::nullopt;
  return lowest(quotient_by_power(a, field->from), field->count);
}

// bfi: b, with the lowest bits of a from a place on.
KnownSums::Result KnownSums::inserted(const Instruction& instruction, Polynomial a, Polynomial b) {
  const auto field = field_of(function_, instruction, 3, sums.bits(b));
  const Result low = field ? lowest(b, field->from) : std::nullopt;
  const Result part = low ? lowest(a, field->count) : std::nullopt;
  const Result sum = part ? sums.sum(*low, *part, std::uint64_t{1} << field->from) : std::nullopt;
  if (!sum || field->from + field->count == static_cast<std::uint64_t>(sums.bits(b))) return sum;
  const Result high = cleared(b, field->from + field->count);
  return high ? sums.sum(*sum, *high) : std::nullopt;
}

}  // namespace xcuda::device::cpu
