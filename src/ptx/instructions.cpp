#include "ptx/instructions.hpp"

namespace xcuda::ptx {
namespace {

template <class... Modifiers> constexpr ModifierSet words(Modifiers... modifiers) { return {modifiers...}; }

// The names of a column belong to its enumeration alone.
constexpr ModifierSet anything = ModifierSet::all();
constexpr std::array<ModifierSet, opcode_count> taken_words = [] {
  using enum Modifier;
  return std::array<ModifierSet, opcode_count>{
#define XCUDA_PTX_INSTRUCTION(name, text, outputs, least, most, family, meaning, traits, since, words, ...) words,
#include "ptx/instructions.def"
  };
}();
constexpr std::array<Trait, opcode_count> row_traits = [] {
  using enum Trait;
  return std::array<Trait, opcode_count>{
#define XCUDA_PTX_INSTRUCTION(name, text, outputs, least, most, family, meaning, traits, since, words, ...) traits,
#include "ptx/instructions.def"
  };
}();

constexpr std::array<InstructionRow, opcode_count> rows = [] {
  constexpr std::uint8_t any = InstructionRow::any;
  std::size_t i = 0;
  const auto row = [&](InstructionRow row) {
    row.traits = row_traits[i];
    row.words = taken_words[i++];
    return row;
  };
  return std::array<InstructionRow, opcode_count>{
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

std::span<const InstructionRow, opcode_count> instruction_rows() { return rows; }
std::string_view text_of(Opcode opcode) { return row_of(opcode).text; }

}  // namespace xcuda::ptx
