#include "ptx/instruction_parser.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xcuda::ptx {
namespace {

void set_space(Instruction& instruction, Space space) {
  if (instruction.space == Space::generic) instruction.space = space;
}

// The row says it for most; a few write by their operation.
std::uint8_t outputs_of(const Instruction& instruction) {
  const std::uint8_t outputs = row_of(instruction.opcode).outputs;
  bool silent = false, arrives = false;  // of an mbarrier
  for (int i = 0; i < instruction.modifier_count; ++i) switch (instruction.modifiers[i]) {
      case Modifier::store:
      case Modifier::st: return 0;
      case Modifier::red: return outputs == 0 ? 1 : 0;  // of a barrier the result, of memory none
      case Modifier::init:
      case Modifier::inval:
      case Modifier::expect_tx:
      case Modifier::complete_tx: silent = true; break;
      case Modifier::arrive:
      case Modifier::arrive_drop: arrives = true; break;
      default: break;
    }
  return silent && !arrives ? 0 : outputs;
}

}  // namespace

void InstructionParser::read(Instruction instruction, const Token& word) {
  instruction.line = word.line;
  instruction.location = reader_.location;
  if (!read_opcode(instruction, word)) {
    instruction.opcode = Opcode::unknown;
    instruction.first_operand = static_cast<Index>(function_.operands.size());
    function_.instructions.push_back(instruction);
    reader_.skip_to_semicolon();
    return;
  }
  operands_.clear();
  opcode_ = instruction.opcode;
  pending_first_ = scopes_.awaited();
  if (instruction.is(Trait::calls)) {
    read_call(instruction);
  } else if (!reader_.peek().is(';')) {
    do {
      if (operands_.size() == kOperandLimit)
        reader_.fail(fmt::format("an instruction has more than {} operands", kOperandLimit));
      read_operand(instruction);
    } while (reader_.accept(','));
  }
  reader_.expect(';', fmt::format("`{}`", word.text));
  instruction.first_operand = static_cast<Index>(function_.operands.size());
  instruction.operand_count = static_cast<std::uint16_t>(operands_.size());
  instruction.outputs = std::min<std::uint8_t>(outputs_of(instruction), static_cast<std::uint8_t>(operands_.size()));
  scopes_.move_awaited(pending_first_, instruction.first_operand);
  function_.operands.insert(function_.operands.end(), operands_.begin(), operands_.end());
  function_.instructions.push_back(instruction);
}

// False when a word of it is not known, and that is kept.
bool InstructionParser::read_opcode(Instruction& instruction, const Token& word) {
  std::string_view rest = word.text;
  const std::size_t dot = rest.find('.');
  const std::string_view base = rest.substr(0, dot);
  const std::optional<Opcode> opcode = find_opcode(base);
  if (!opcode) {
    if (reader_.unknown == Unknown::keep) return false;
    reader_.fail(fmt::format("unknown instruction `{}`", word.text), word.line);
  }
  instruction.opcode = *opcode;
  rest = dot == rest.npos ? std::string_view{} : rest.substr(dot + 1);
  while (!rest.empty()) {
    const std::size_t end = rest.find('.');
    const std::string_view part = rest.substr(0, end);
    if (!add_modifier(instruction, part, word)) return false;
    rest = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
  }
  while (reader_.peek().kind == Token::Kind::directive)
    if (!add_modifier(instruction, reader_.next().text, word)) return false;
  return true;
}

bool InstructionParser::add_modifier(Instruction& instruction, std::string_view part, const Token& word) {
  if (const std::optional<Type> type = find_type(part)) {
    if (instruction.type_count == instruction.types.size())
      reader_.fail(fmt::format("instruction `{}` has too many types", word.text), word.line);
    if (instruction.type_count == 0) instruction.types_at = instruction.modifier_count;
    instruction.types[instruction.type_count++] = *type;
    return true;
  }
  const std::optional<Modifier> modifier = find_modifier(part);
  if (!modifier) {
    if (reader_.unknown == Unknown::keep) return false;
    reader_.fail(fmt::format("unknown modifier `.{}` of instruction `{}`", part, word.text), word.line);
  }
  if (instruction.modifier_count == instruction.modifiers.size())
    reader_.fail(fmt::format("instruction `{}` has too many modifiers", word.text), word.line);
  instruction.modifiers[instruction.modifier_count++] = *modifier;
  switch (*modifier) {
    case Modifier::global: set_space(instruction, Space::global); break;
    case Modifier::shared:
    case Modifier::shared_cta: set_space(instruction, Space::shared); break;
    case Modifier::shared_cluster: set_space(instruction, Space::shared_cluster); break;
    case Modifier::const_: set_space(instruction, Space::constant); break;
    case Modifier::local: set_space(instruction, Space::local); break;
    case Modifier::param:
    case Modifier::param_entry:
    case Modifier::param_func: set_space(instruction, Space::param); break;
    case Modifier::v2: instruction.vector = 2; break;
    case Modifier::v4: instruction.vector = 4; break;
    case Modifier::v8: instruction.vector = 8; break;
    default: break;
  }
  return true;
}

// call (results), callee, (arguments), prototype;
void InstructionParser::read_call(Instruction& instruction) {
  Call call;
  if (reader_.peek().is('(')) {
    call.results = read_call_list();
    reader_.expect(',', "the result of a call");
  }
  const Token callee = reader_.next();
  if (const auto named = callee.is_word() ? scopes_.find(callee.text) : std::nullopt;
      named && named->kind == Named::Kind::reg) {
    call.callee.kind = Operand::Kind::reg;
    call.callee.reg = named->index;
  } else {
    call.callee.kind = Operand::Kind::symbol;
    call.callee.symbol_kind = SymbolKind::function;
    call.callee.index = reader_.function_named(callee);
  }
  if (reader_.accept(',')) {
    if (reader_.peek().is('(')) {
      call.arguments = read_call_list();
      if (reader_.accept(',')) read_call_targets(call);
    } else {
      read_call_targets(call);
    }
  }
  instruction.call = static_cast<Index>(function_.calls.size());
  function_.calls.push_back(std::move(call));
}

void InstructionParser::read_call_targets(Call& call) {
  const Token token = reader_.next();
  const auto named = token.is_word() ? scopes_.find(token.text) : std::nullopt;
  if (named && named->kind == Named::Kind::prototype)
    call.prototype = named->index;
  else if (named && named->kind == Named::Kind::call_list)
    call.candidates = call_lists_[named->index];
  else
    reader_.fail(fmt::format("`{}` is not a prototype", token.text), token.line);
}

std::vector<Operand> InstructionParser::read_call_list() {
  std::vector<Operand> list;
  reader_.expect('(', "a call");
  if (reader_.accept(')')) return list;
  do {
    if (list.size() == kOperandLimit) reader_.fail(fmt::format("a call has more than {} arguments", kOperandLimit));
    list.push_back(read_simple());
  } while (reader_.accept(','));
  reader_.expect(')', "arguments");
  return list;
}

void InstructionParser::add_call_list(const Token& name, std::vector<Index> functions) {
  scopes_.declare(name.text, {Named::Kind::call_list, SymbolKind::none, static_cast<Index>(call_lists_.size())});
  call_lists_.push_back(std::move(functions));
}

}  // namespace xcuda::ptx
