// The words of PTX as dense enumerations: opcodes, modifiers, types, special registers. Each list is one table, in
// instructions.def or words.def; names that are not C++ identifiers end in an underscore or begin with a letter.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace xcuda::ptx {

// The word before the first dot: ld, setp, wmma, mbarrier ("mbarrier.init" is mbarrier with Modifier::init).
enum class Opcode : std::uint8_t {
#define XCUDA_PTX_INSTRUCTION(name, ...) name,
#include "ptx/instructions.def"
};

// What a modifier is about; an instruction holds at most one of most categories, see Instruction::find().
enum class Category : std::uint8_t {
  space,       // .global .shared ... (also shared::cta, shared::cluster)
  vector,      // .v2 .v4 .v8, .x1 .x2 .x4
  rounding,    // .rn .rz .rm .rp .rna .rni .rzi .rmi .rpi .rs
  comparison,  // .eq .ne .lt ... .num .nan
  operation,   // .add .min .cas .and .exch ..., also of vote (.all .any .uni .ballot), shfl (.up .down .bfly .idx), ...
  scope,       // .cta .cluster .gpu .sys
  order,       // .relaxed .acquire .release .acq_rel .sc .volatile .weak .mmio
  cache,       // .ca .cg .cs .lu .cv .wb .wt .nc, eviction and prefetch hints
  shape,       // .m16n16k16, .8x8, ...
  geometry,    // .1d .2d .3d .a1d .a2d .cube .acube
  other,       // .ftz .sat .approx .wide .lo .hi .to .sync .aligned .row .col ...
};

enum class Modifier : std::uint16_t {
  none,
#define XCUDA_PTX_MODIFIER(name, text, category) name,
#include "ptx/words.def"
};

enum class Type : std::uint8_t {
  none,
#define XCUDA_PTX_TYPE(name, text, bits) name,
#include "ptx/words.def"
};

// %tid.x is tid_x; %envreg3 is envreg with index 3, see Operand.
enum class Special : std::uint8_t {
#define XCUDA_PTX_SPECIAL(name, text, type) name,
#include "ptx/words.def"
};

enum class Space : std::uint8_t { generic, reg, global, shared, shared_cluster, constant, local, param };

std::string_view text_of(Opcode opcode);      // "ld"
std::string_view text_of(Modifier modifier);  // "global", without the dot
std::string_view text_of(Type type);          // "u32"
std::string_view text_of(Special special);    // "%tid.x"
std::string_view text_of(Space space);        // "global"; "generic" has no PTX spelling

Category category_of(Modifier modifier);
int bits_of(Type type);   // 32 for u32 and f16x2; 1 for pred; 0 for opaque types
int bytes_of(Type type);  // in memory
Type type_of(Special special);
inline bool is_signed(Type type) { return type >= Type::s8 && type <= Type::s64; }
enum class Signedness : std::uint8_t { unsigned_, signed_ };
inline bool is_signed(Signedness sign) { return sign == Signedness::signed_; }
inline Signedness signedness(Type type) { return is_signed(type) ? Signedness::signed_ : Signedness::unsigned_; }
inline bool is_unsigned(Type type) { return type >= Type::u8 && type <= Type::u64; }
bool is_floating(Type type);  // f16 to f64, bf16, tf32 and the packed forms

// Without dots and percent signs; nothing when the word is not known.
std::optional<Opcode> find_opcode(std::string_view word);
std::optional<Modifier> find_modifier(std::string_view word);
std::optional<Type> find_type(std::string_view word);
std::optional<Special> find_special(std::string_view word);  // "tid.x", "clock64", "envreg" (without its number)
inline bool is_numbered(Special special) {
  return special == Special::envreg || special == Special::pm || special == Special::reserved_smem_offset;
}
inline bool is_of_reserved_shared(Special special) {
  return special == Special::reserved_smem_offset || special == Special::reserved_smem_offset_begin ||
         special == Special::reserved_smem_offset_end || special == Special::reserved_smem_offset_cap;
}

}  // namespace xcuda::ptx
