#include "compiler/texture_uses.hpp"

#include <algorithm>
#include <map>

#include "ptx/ptx_parser.hpp"

namespace xcuda::compiler {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Operand;
using ptx::Trait;

PtxTextureUse describe(const Instruction& instruction) {
  const auto has = [&](Modifier modifier) { return instruction.has(modifier); };
  PtxTextureUse use;
  use.opcode = ptx::text_of(instruction);
  use.surface = instruction.is(Trait::surface);
  use.gathers = instruction.is(Trait::gathers);
  if (instruction.is(Trait::queries)) return use;
  use.cube = has(Modifier::cube) || has(Modifier::acube);
  use.layered = has(Modifier::a1d) || has(Modifier::a2d) || has(Modifier::acube);
  use.dimensions = has(Modifier::d1) || has(Modifier::a1d) ? 1 : has(Modifier::d3) ? 3 : 2;
  use.fetches = instruction.modifiers[0] == Modifier::d1 && instruction.types[1] == ptx::Type::s32;
  use.other = has(Modifier::n2dms) || has(Modifier::a2dms);
  use.floats = has(Modifier::v4) && ptx::is_floating(instruction.type());
  return use;
}

}  // namespace

std::vector<PtxTextureUse> texture_uses(std::string_view text, std::string_view entry) {
  const auto module = ptx::parse_entry(text, entry, entry);
  const auto* kernel = module.find_function(entry);
  if (kernel == nullptr) return {};
  std::vector<PtxTextureUse> uses;
  std::map<ptx::Register, std::size_t> handles;  // to the parameter
  for (const auto& instruction : kernel->instructions) {
    const auto operands = kernel->operands_of(instruction);
    const auto address = std::find_if(operands.begin(), operands.end(),
                                      [](const Operand& one) { return one.kind == Operand::Kind::address; });
    if (address == operands.end()) continue;
    if (instruction.is(Trait::reads) && address->symbol_kind == ptx::SymbolKind::parameter &&
        ptx::bits_of(instruction.type()) == 64 && address->offset == 0 && operands[0].kind == Operand::Kind::reg) {
      handles[operands[0].reg] = address->index;
      continue;
    }
    const auto handle = instruction.family() == ptx::Family::texture ? handles.find(address->reg) : handles.end();
    if (handle == handles.end()) continue;
    auto use = describe(instruction);
    use.parameter = handle->second;
    const auto same = [&](const PtxTextureUse& other) {
      return other.parameter == use.parameter && other.opcode == use.opcode;
    };
    if (std::none_of(uses.begin(), uses.end(), same)) uses.push_back(std::move(use));
  }
  return uses;
}

}  // namespace xcuda::compiler
