#include "ptx/instructions.hpp"

namespace xcuda::ptx {
namespace {

template <class... Modifiers> constexpr ModifierSet words(Modifiers... modifiers) { return {modifiers...}; }

// The names of a column belong to its enumeration alone.
constexpr ModifierSet kAnything = ModifierSet::all();
constexpr std::array<ModifierSet, kOpcodeCount> kTakenWords = [] {
  using enum Modifier;
  return std::array<ModifierSet, kOpcodeCount>{
#define XCUDA_PTX_INSTRUCTION(name, text, outputs, least, most, family, meaning, traits, since, words, ...) words,
#include "ptx/instructions.def"
  };
}();
constexpr std::array<Trait, kOpcodeCount> kRowTraits = [] {
  using enum Trait;
  return std::array<Trait, kOpcodeCount>{
#define XCUDA_PTX_INSTRUCTION(name, text, outputs, least, most, family, meaning, traits, since, words, ...) traits,
#include "ptx/instructions.def"
  };
}();

constexpr std::array<InstructionRow, kOpcodeCount> kRows = [] {
  constexpr std::uint8_t any = InstructionRow::kAny;
  std::size_t i = 0;
  const auto row = [&](InstructionRow row) {
    row.traits = kRowTraits[i];
    row.words = kTakenWords[i++];
    return row;
  };
  return std::array<InstructionRow, kOpcodeCount>{
#define XCUDA_PTX_INSTRUCTION(name, text, outputs, least, most, family, meaning, traits, since, words, ...) \
  row({text,                                                                                                \
       outputs,                                                                                             \
       least,                                                                                               \
       most,                                                                                                \
       Family::family,                                                                                      \
       Meaning::meaning,                                                                                    \
       Trait::plain,                                                                                        \
       since,                                                                                               \
       {} __VA_OPT__(, ) __VA_ARGS__}),
#include "ptx/instructions.def"
  };
}();

}  // namespace

std::span<const InstructionRow, kOpcodeCount> instruction_rows() { return kRows; }
std::string_view text_of(Opcode opcode) { return row_of(opcode).text; }

}  // namespace xcuda::ptx
