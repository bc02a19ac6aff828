// What an instruction of PTX is: a row of instructions.def. Its emitter knows what the CPU device does with it; all
// other code asks the row.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "ptx/words.hpp"

namespace xcuda::ptx {

// Which emitter writes it.
enum class Family : std::uint8_t {
  none,     // refused
  sugar,    // written as other instructions before anything is emitted
  control,  // the end of a block
  move,
  load,
  store,
  atomic,
  convert,
  compare,
  logic,
  arithmetic,
  integer,
  warp,
  video,
  async,
  matrix,
  texture,
  call,
  system,
};

// What analyses know of the result, beside that it is the same in lanes where the operands are.
enum class Meaning : std::uint8_t {
  elementwise,  // no more than that
  copy,         // of the operand
  address,      // the same address in another space
  conversion,
  load,
  sum,
  difference,
  negation,
  product,
  product_sum,
  shift_left,
  shift_right,
  bit_and,
  bit_or,
  bit_xor,
  three_bits,  // any function of three words
  choice,      // of one of two operands
  of_members,  // one value for all lanes that the last operand names
  uniform,     // one value for all lanes, whatever the operands are
  varying,     // of each lane its own, whatever the operands are
};

// What else analyses ask, as bits.
enum class Trait : std::uint32_t {
  plain = 0,
  scalar = 1 << 0,           // one lane alone can run it, as scalar code
  adds = 1 << 1,             // what it costs: a sum or a product,
  divides = 1 << 2,          // a quotient,
  roots = 1 << 3,            // a root or a reciprocal,
  curves = 1 << 4,           // a sine or a power
  reads = 1 << 5,            // memory at one address of each lane, by one emitter for all
  writes = 1 << 6,           // the same
  atomic = 1 << 7,           // both at once
  pointers = 1 << 8,         // its result may be a pointer from elsewhere
  barrier = 1 << 9,          // of a block, a warp or a cluster, as its modifiers say
  joint = 1 << 10,           // lanes of a warp do it together, as its modifiers say
  names_lanes = 1 << 11,     // the last operand is a mask of lanes
  fence = 1 << 12,           // orders accesses
  branches = 1 << 13,        // to a label
  leaves = 1 << 14,          // the function
  ends_thread = 1 << 15,     // and all that called it
  calls = 1 << 16,           // a function
  traps = 1 << 17,           // ends the kernel
  sleeps = 1 << 18,          // waiting is all that can be meant
  image = 1 << 19,           // of a texture
  surface = 1 << 20,         // of a surface
  queries = 1 << 21,         // for the size or the form of one
  gathers = 1 << 22,         // one channel of four elements
  writes_surface = 1 << 23,  // anywhere: its handle may be that of any array
  fetches = 1 << 24,         // what its operands do not name as one address of each lane
  copies = 1 << 25,          // from one memory to another
  arrivals = 1 << 26,        // are counted by it, in memory
  negates = 1 << 27,         // operands with a minus before them
  accesses = reads | writes | atomic,
};
constexpr Trait operator|(Trait a, Trait b) {
  return static_cast<Trait>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}

class ModifierSet {
 public:
  constexpr ModifierSet() = default;
  constexpr ModifierSet(std::initializer_list<Modifier> modifiers) {
    for (const Modifier each : modifiers) words_[index(each) / 64] |= std::uint64_t{1} << index(each) % 64;
  }
  static constexpr ModifierSet all() {
    ModifierSet set;
    set.words_.fill(~std::uint64_t{0});
    return set;
  }
  constexpr bool contains(Modifier modifier) const { return words_[index(modifier) / 64] >> index(modifier) % 64 & 1; }

 private:
  static constexpr std::size_t index(Modifier modifier) { return static_cast<std::size_t>(modifier); }
  std::array<std::uint64_t, 5> words_{};
};

struct InstructionRow {
  static constexpr std::uint8_t kAny = 255;

  std::string_view text;  // "ld"
  std::uint8_t outputs = 0;
  std::uint8_t least = 0, most = kAny;  // operands that the CPU device takes
  Family family = Family::none;
  Meaning meaning = Meaning::elementwise;
  Trait traits = Trait::plain;
  std::uint8_t since = 0;   // compute capability, times ten; 0: none later than 8.0
  ModifierSet words;        // the modifiers that the CPU device takes
  std::string_view spoken;  // "a shuffle"

  constexpr bool is(Trait trait) const {
    return (static_cast<std::uint32_t>(traits) & static_cast<std::uint32_t>(trait)) != 0;
  }
};
constexpr std::size_t kOpcodeCount = 0
#define XCUDA_PTX_INSTRUCTION(...) +1
#include "ptx/instructions.def"
    ;
std::span<const InstructionRow, kOpcodeCount> instruction_rows();  // by Opcode
inline const InstructionRow& row_of(Opcode opcode) { return instruction_rows()[static_cast<std::size_t>(opcode)]; }

}  // namespace xcuda::ptx
