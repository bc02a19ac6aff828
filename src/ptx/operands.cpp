// The operands of an instruction.
#include <fmt/format.h>

#include "ptx/instruction_parser.hpp"

namespace xcuda::ptx {

void InstructionParser::read_operand(Instruction& instruction) {
  Operand operand;
  if (reader_.accept('{')) {
    operand.kind = Operand::Kind::vector;
    std::vector<Operand> elements;
    do {
      if (elements.size() == kOperandLimit)
        reader_.fail(fmt::format("a vector has more than {} elements", kOperandLimit));
      elements.push_back(read_simple());
    } while (reader_.accept(','));
    reader_.expect('}', "a vector");
    operand.index = static_cast<Index>(function_.operands.size());
    operand.count = static_cast<Index>(elements.size());
    function_.operands.insert(function_.operands.end(), elements.begin(), elements.end());
    if (reader_.accept('|')) operand.second = scopes_.register_named(reader_.next());
    operands_.push_back(operand);
    return;
  }
  if (reader_.accept('[')) {
    read_address(instruction);
    return;
  }
  if (reader_.peek().is_word()) {
    if (instruction.is(Trait::branches)) {
      const Token label = reader_.next();
      operand.kind = Operand::Kind::label;
      // The place is relative to this instruction's operands until they are stored.
      scopes_.await(
          {label.text, label.line, reader_.location, static_cast<Index>(operands_.size()), kNoIndex, kNoIndex});
      operands_.push_back(operand);
      return;
    }
    const auto named = scopes_.find(reader_.peek().text);
    if (named && named->kind == Named::Kind::label_list) {
      reader_.next();
      instruction.targets = named->index;
      return;
    }
  }
  operand = read_simple();
  if (reader_.accept('|')) operand.second = scopes_.register_named(reader_.next());
  operands_.push_back(operand);
}

// [base + offset], and the coordinates after a texture: [handle, sampler, {x, y}]
void InstructionParser::read_address(Instruction& instruction) {
  Operand operand;
  operand.kind = Operand::Kind::address;
  const Token& token = reader_.peek();
  if (token.is_word()) {
    const Operand base = read_name(reader_.next());
    if (base.kind == Operand::Kind::reg) {
      operand.reg = base.reg;
    } else if (base.kind == Operand::Kind::symbol) {
      operand.symbol_kind = base.symbol_kind;
      operand.index = base.index;
    } else {
      reader_.unexpected("a register or a variable as an address");
    }
    if (reader_.accept('+') || reader_.peek().is('-'))
      operand.offset = static_cast<std::int64_t>(reader_.expect_integer("an offset"));
  } else {
    operand.offset = static_cast<std::int64_t>(reader_.expect_integer("an address"));
  }
  operands_.push_back(operand);
  while (reader_.accept(',')) {
    if (operands_.size() == kOperandLimit) reader_.fail("an instruction has too many operands");
    if (reader_.peek().is('[')) reader_.unexpected("coordinates");
    read_operand(instruction);
  }
  reader_.expect(']', "an address");
}

// Numbers, and names with ! before them or + n after them.
Operand InstructionParser::read_simple() {
  Operand operand;
  const Token& token = reader_.peek();
  if (reader_.accept('!')) {
    operand = read_name(reader_.next());
    if (operand.kind != Operand::Kind::reg) reader_.fail("`!` can only come before a register");
    operand.negated = true;
    return operand;
  }
  if (token.is_word()) {
    operand = read_name(reader_.next());
    if (operand.kind == Operand::Kind::symbol && (reader_.accept('+') || reader_.peek().is('-')))
      operand.offset = static_cast<std::int64_t>(reader_.expect_integer("an offset"));
    return operand;
  }
  bool negative = false, inverted = false;
  while (reader_.peek().is('-') || reader_.peek().is('+') || reader_.peek().is('~')) {
    const char sign = reader_.next().mark;
    negative ^= sign == '-';
    inverted ^= sign == '~';
  }
  if (negative && reader_.peek().is_word() && row_of(opcode_).is(Trait::negates)) {
    operand = read_name(reader_.next());
    if (operand.kind != Operand::Kind::reg) reader_.fail("`-` can only come before a register");
    operand.negated = true;
    return operand;
  }
  if (!reader_.peek().is_number()) reader_.unexpected("an operand");
  const Token number = reader_.next();
  operand.bits = number.bits;
  switch (number.kind) {
    case Token::Kind::float32:
      operand.kind = Operand::Kind::float32;
      if (negative) operand.bits ^= 0x8000'0000u;
      break;
    case Token::Kind::float64:
      operand.kind = Operand::Kind::float64;
      if (negative) operand.bits ^= std::uint64_t{1} << 63;
      break;
    default:
      operand.kind = Operand::Kind::integer;
      if (inverted) operand.bits = ~operand.bits;
      if (negative) operand.bits = 0 - operand.bits;
  }
  return operand;
}

Operand InstructionParser::read_name(const Token& token) {
  Operand operand;
  if (!token.is_word()) reader_.fail(fmt::format("`{}` is not an operand", token.text), token.line);
  const std::string_view name = token.text;
  if (name == "_") return operand;
  if (const auto named = scopes_.find(name)) {
    if (named->kind == Named::Kind::reg) {
      operand.kind = Operand::Kind::reg;
      operand.reg = named->index;
      return operand;
    }
    if (named->kind == Named::Kind::symbol) {
      operand.kind = Operand::Kind::symbol;
      operand.symbol_kind = named->symbol;
      operand.index = named->index;
      operand.offset = 0;
      return operand;
    }
    reader_.fail(fmt::format("`{}` is not an operand", name), token.line);
  }
  if (name == "WARP_SZ") {
    operand.kind = Operand::Kind::integer;
    operand.bits = 32;
    return operand;
  }
  if (name[0] == '%') {
    std::string_view word = name.substr(1);
    if (const auto special = find_special(word)) {
      operand.kind = Operand::Kind::special;
      operand.special = *special;
      return operand;
    }
    if (word.starts_with("pm") && word.ends_with("_64")) word.remove_suffix(3);  // %pm0_64: the same counter
    const std::size_t digits = word.find_last_not_of("0123456789") + 1;
    const std::optional<Special> special = find_special(word.substr(0, digits));
    if (special && is_numbered(*special) && word.size() - digits <= 2) {
      operand.kind = Operand::Kind::special;
      operand.special = *special;
      operand.number = 0;
      for (const char c : word.substr(digits))
        operand.number = operand.number * 10 + static_cast<std::uint64_t>(c - '0');
      return operand;
    }
  }
  if (read_parts(name, operand)) return operand;
  if (const auto found = reader_.symbols.find(name); found != reader_.symbols.end()) {
    operand.kind = Operand::Kind::symbol;
    operand.symbol_kind = found->second.kind;
    operand.index = found->second.index;
    operand.offset = 0;
    return operand;
  }
  if (reader_.unknown == Unknown::keep && name[0] == '%') return operand;  // a special register
  reader_.fail(fmt::format("`{}` is not declared", name), token.line);
}

// `%r1.b0`, `%r2.h32`: bytes or halves of a register.
bool InstructionParser::read_parts(std::string_view name, Operand& operand) const {
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos || row_of(opcode_).family != Family::video) return false;
  const std::string_view parts = name.substr(dot + 1);
  const bool halves = parts.starts_with('h');
  const std::size_t most = halves ? 2 : 4;
  if ((!halves && !parts.starts_with('b')) || parts.size() < 2 || parts.size() > 1 + most) return false;
  const auto named = scopes_.find(name.substr(0, dot));
  if (!named || named->kind != Named::Kind::reg) return false;
  Index packed = halves ? Operand::kHalves : 0;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i] < '0' || parts[i] > (halves ? '3' : '7')) return false;
    packed |= static_cast<Index>(parts[i] - '0') << (4 * (parts.size() - 1 - i));
  }
  operand.kind = Operand::Kind::reg;
  operand.reg = named->index;
  operand.index = packed;
  operand.count = static_cast<Index>(parts.size() - 1);
  return true;
}

}  // namespace xcuda::ptx
