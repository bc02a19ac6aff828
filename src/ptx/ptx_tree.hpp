// The tree of a PTX module: dense and cheap to walk. Registers, variables, parameters, labels, functions and
// locations are indices; opcodes, modifiers and types are enumerations (words.hpp). Pure data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/instructions.hpp"
#include "ptx/words.hpp"

namespace xcuda::ptx {

using Index = std::uint32_t;
constexpr Index kNoIndex = ~Index{0};

// --- Places --------------------------------------------------------------------------------------------------------

// One `.loc`. The chain of inlined_at leads to the line of the cell. Locations are shared by instructions.
struct Location {
  Index file = kNoIndex;        // of Module::files
  int line = 0, column = 0;     // 0 when unknown (`.loc 1 0 3` marks code without a line)
  Index inlined_at = kNoIndex;  // of Module::locations: where the function that holds this line was inlined
  Index function = kNoIndex;    // of Module::strings: name of that inlined function, mangled
};

// --- Operands ------------------------------------------------------------------------------------------------------

using Register = Index;  // of Function::registers; dense from 0

// What a name in an operand means.
enum class SymbolKind : std::uint8_t {
  none,
  variable,   // Module::variables: global, constant, shared at file scope, textures
  local,      // Function::variables: .local and .shared of this function
  parameter,  // Function::parameters (of an entry or a function)
  result,     // Function::results
  argument,   // Function::arguments: .param declared in the body, for a call
  function,   // Module::functions
};
struct Symbol {
  SymbolKind kind = SymbolKind::none;
  Index index = kNoIndex;
  bool operator==(const Symbol&) const = default;
};

struct Operand {
  enum class Kind : std::uint8_t {
    discard,  // _; `second` is set for `_|p`
    reg,      // reg; `second` too for `d|p`
    special,  // special, and number where it is_numbered()
    integer,  // bits, sign-extended to 64
    float32,  // bits: 0fXXXXXXXX
    float64,  // bits: 0dXXXXXXXXXXXXXXXX or a decimal float
    symbol,   // symbol + offset: its address (mov, cvta, call target)
    label,    // index of Function::labels
    vector,   // {a, b, ...}: elements are Function::operands[first, first + count)
    address,  // [reg + offset], [symbol + offset] or [offset]; of a texture [handle, {coordinates}] is the vector
              // of coordinates the next operand
  };
  Kind kind = Kind::discard;
  bool negated = false;  // !p, and -%r of vmad
  Special special{};
  SymbolKind symbol_kind = SymbolKind::none;  // symbol and address
  Register reg = kNoIndex;                    // reg, and the base of an address
  Register second = kNoIndex;                 // reg and vector: the predicate after |
  union {
    std::uint64_t bits;        // integer, float32, float64
    std::int64_t offset;       // symbol, address
    std::uint64_t number = 0;  // special
  };
  Index index = kNoIndex;  // symbol, label; first element of a vector
  Index count = 0;         // elements of a vector
  // A register in a video instruction, `%r1.b0`, `%r2.h32`, has `count` parts, 0 for the whole; `index` holds them by
  // nibbles, the lowest first, and bit 16 for halves.
  static constexpr Index kHalves = 1 << 16;
  Index part(Index at) const { return index >> (4 * at) & 15; }

  Symbol symbol() const { return {symbol_kind, index}; }
  std::int64_t integer() const { return static_cast<std::int64_t>(bits); }
  double floating() const;  // float32 and float64
};

// --- Instructions --------------------------------------------------------------------------------------------------

// What comes before the operands.
struct Operation {
  Opcode opcode{};
  std::uint8_t modifier_count = 0, type_count = 0;
  std::uint8_t types_at = 0;             // how many modifiers precede the first type
  std::array<Modifier, 12> modifiers{};  // in order, without types
  std::array<Type, 4> types{};           // in order: types[0] is the first; cvt.rn.f32.s32 has f32 (to), s32 (from)
  Space space = Space::generic;          // the first space modifier
  std::uint8_t vector = 1;               // 2, 4, 8 for .v2 ...

  bool has(Modifier modifier) const {
    for (int i = 0; i < modifier_count; ++i)
      if (modifiers[i] == modifier) return true;
    return false;
  }
  bool has_any(std::initializer_list<Modifier> any) const {
    for (const Modifier each : any)
      if (has(each)) return true;
    return false;
  }
  Modifier find(Category category) const {  // the first of that category, or Modifier::none
    for (int i = 0; i < modifier_count; ++i)
      if (category_of(modifiers[i]) == category) return modifiers[i];
    return Modifier::none;
  }
  Type type() const { return type_count ? types[0] : Type::none; }

  bool is(Trait trait) const { return row_of(opcode).is(trait); }
  Family family() const { return row_of(opcode).family; }
  Meaning meaning() const { return row_of(opcode).meaning; }
  // Accesses of other threads are ordered by it, or may change what it reads at any time.
  bool synchronises() const {
    return has_any({Modifier::volatile_, Modifier::relaxed, Modifier::acquire, Modifier::release, Modifier::mmio});
  }
  // A fence, or an access that other threads' later ones are ordered after: what was done before it can be passed on.
  bool releases() const { return is(Trait::fence) || has_any({Modifier::release, Modifier::acq_rel}); }
  bool is_barrier_of_block() const { return is(Trait::barrier) && !has_any({Modifier::warp, Modifier::cluster}); }
};

struct Instruction : Operation {
  std::uint8_t outputs = 0;  // how many of the operands are written; they come first
  bool guard_negated = false;
  Register guard = kNoIndex;  // @%p
  Index first_operand = 0;    // of Function::operands
  std::uint16_t operand_count = 0;
  Index call = kNoIndex;      // of Function::calls
  Index targets = kNoIndex;   // of Function::target_lists, of a jump through a table
  Index location = kNoIndex;  // of Module::locations
  std::uint32_t line = 0;     // of the PTX text, from 1

  bool guarded() const { return guard != kNoIndex; }
};

// --- Declarations --------------------------------------------------------------------------------------------------

enum class Linkage : std::uint8_t { internal, visible, external, weak, common };

// An address inside an initialiser.
struct Relocation {
  std::uint64_t offset = 0;  // bytes into the variable
  Symbol symbol;             // variable or function
  std::int64_t addend = 0;
  bool generic = false;    // generic(sym): as a generic address; else relative to the symbol's space
  std::uint8_t size = 8;   // bytes stored
  std::uint8_t shift = 0;  // mask(sym): bits to shift right before storing; 0xFF(sym) has 0, 0xFF00(sym) has 8
};

struct Variable {
  std::string name;
  Linkage linkage = Linkage::internal;
  Space space = Space::global;     // global, constant, shared, local
  Type type = Type::none;          // of an element
  std::uint32_t alignment = 1;     // bytes
  std::uint64_t size = 0;          // bytes; 0 for `.extern .shared x[]`: dynamic shared memory
  std::vector<std::byte> initial;  // empty: zero; else the first bytes, the rest zero
  std::vector<Relocation> relocations;
  bool unsized = false;    // x[]
  bool managed = false;    // .attribute(.managed)
  std::uint32_t line = 0;  // of the PTX text

  bool lasts() const { return space == Space::global || space == Space::constant; }  // as long as its module
};

struct Parameter {
  std::string name;
  Type type = Type::none;                             // of an element: b8 for structs
  std::uint32_t offset = 0, size = 0, alignment = 1;  // bytes
  bool array = false;                                 // .b8 x[32]
  bool in_register = false;                           // .reg parameter of a device function
  Register reg = kNoIndex;                            // its register, if in_register
};

struct RegisterRange {  // %r<5> is prefix "%r", count 5; a single name has count 0
  std::string prefix;
  Register first = 0;
  Index count = 0;
  Type type = Type::none;
};

struct Label {
  std::string name;
  Index instruction = 0;  // the instruction it comes before; may be instructions.size()
};

struct Prototype {  // of a function, or .callprototype
  std::vector<Parameter> results, parameters;
  bool no_return = false;
};

struct Call {
  Operand callee;                           // Kind::symbol of a function, or Kind::reg
  std::vector<Operand> results, arguments;  // Kind::symbol of SymbolKind::argument, or registers
  Index prototype = kNoIndex;               // of Function::prototypes, for an indirect call
  std::vector<Index> candidates;            // .calltargets: Module::functions
};

struct Function {
  std::string name;
  Linkage linkage = Linkage::internal;
  bool entry = false;
  bool defined = false;  // has a body
  bool no_return = false;
  std::vector<Parameter> results, parameters;
  std::uint32_t parameter_bytes = 0;  // the end of the last parameter
  // .maxntid .reqntid .minnctapersm .maxnreg: 0 when absent
  std::array<std::uint32_t, 3> max_threads{}, required_threads{};
  std::uint32_t min_blocks = 0, max_registers = 0;

  std::vector<Type> registers;                 // by Register
  std::vector<RegisterRange> register_ranges;  // in order of first
  std::vector<Variable> variables;             // .shared and .local of the body
  std::vector<Parameter> arguments;            // .param of the body; offsets are 0
  std::vector<Prototype> prototypes;
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;  // pool
  std::vector<Call> calls;
  std::vector<Label> labels;
  std::vector<std::vector<Index>> target_lists;  // .branchtargets: labels
  Index location = kNoIndex;                     // of the first instruction
  std::uint32_t line = 0;                        // of the PTX text
  std::size_t begin = 0, end = 0;                // bytes of the PTX text: `.visible` to `}`

  std::span<const Operand> operands_of(const Instruction& instruction) const {
    return {operands.data() + instruction.first_operand, instruction.operand_count};
  }
  std::span<const Operand> elements_of(const Operand& vector) const {
    return {operands.data() + vector.index, vector.count};
  }
  std::string register_name(Register reg) const;  // "%r12"
};

struct Module {
  int version_major = 0, version_minor = 0;
  std::string target;  // "sm_80"
  int address_size = 64;
  std::vector<std::string> files;    // by Location::file; "/In[7]" as the compiler wrote it
  std::vector<std::string> strings;  // names of inlined functions
  std::vector<Location> locations;
  std::vector<Variable> variables;
  std::vector<Function> functions;  // each name once; a prototype and its definition are one

  const Function* find_function(std::string_view name) const;
  const Variable* find_variable(std::string_view name) const;
};

std::string text_of(const Operation& operation);  // "ld.global.f32", "sust.b.2d.v4.b32.trap"

// The instruction as PTX spells it, for messages and golden files: "ld.global.f32 %f1, [%rd4+8]".
std::string text_of(const Module& module, const Function& function, const Instruction& instruction);

}  // namespace xcuda::ptx
