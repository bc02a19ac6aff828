// One memory access while it is emitted: where it goes, how lanes are laid out, how it is checked.
#pragma once

#include "device/cpu/emit/families/families.hpp"

namespace xcuda::device::cpu {

struct MemoryAccess {
  const ptx::Instruction& instruction;
  Held address;  // i64 host addresses
  Held offset;   // shared memory: offsets in it; else the address
  ptx::Space space = ptx::Space::generic;
  ptx::Type type = ptx::Type::none;
  int components = 1;  // .v2, .v4
  unsigned size = 0;   // bytes of one component
  Access access = Access::read;
  Origin origin;
  bool is_volatile = false;
  bool grouped = true;  // may be checked together with others of its block

  unsigned bytes() const { return size * static_cast<unsigned>(components); }
  // Whether the words of a lane have to be read and written at once, as a GPU does it: programs tell each other a value
  // and its state so (CUB's look-back, ld.relaxed.v2.u64).
  bool is_whole() const { return is_volatile && components > 1; }
};

// An address in shared memory: i64 offsets.
Held shared_address(Emitter& e, const ptx::Operand& operand);

// A pointer to the address of one lane. For one thread it starts at the beginning of the memory that it belongs to,
// where known: so LLVM can tell how pointers move in a loop, and which do not meet.
Value* pointer_into(Emitter& e, const MemoryAccess& access, Value* address);

inline Value* pointer_of(Emitter& e, Value* address) { return e.b.CreateIntToPtr(address, e.b.getPtrTy()); }

// The access of the address operand operands[index]. Emits the bounds check too.
MemoryAccess access_of(Emitter& e, const ptx::Instruction& instruction, std::size_t index, Access access);

// Prefetches what a load of this address will read in the next turn of its loop, where that can be foreseen.
void emit_prefetch(Emitter& e, const MemoryAccess& access);

// Whether an access takes a row of 32 words that lie side by side, in the order of a permuted address; and code for
// such accesses.
bool is_permutation(const MemoryAccess& access);
llvm::Value* load_permuted(Emitter& e, const MemoryAccess& access, llvm::Type* type);
void store_permuted(Emitter& e, const MemoryAccess& access, llvm::Value* value);

// The array that an access is checked against, where one is known; also in code without checks.
struct ArrayBounds {
  llvm::Value *begin, *size;  // i64; constant during the function
};
std::optional<ArrayBounds> bounds_of_array(Emitter& e, const MemoryAccess& access);

// Elements side by side, those whose `mask` is true; the others are not defined.
struct Masked {
  llvm::Value *pointer, *mask;
};
llvm::Value* load_masked(Emitter& e, const MemoryAccess& access, llvm::VectorType* type, const Masked& masked);
void store_masked(Emitter& e, const MemoryAccess& access, llvm::Value* value, const Masked& masked);

// Masked vector accesses that are one instruction.
bool masks_well(Emitter& e, const MemoryAccess& access);

// How lanes [first, first + count) lie: contiguous or all at one address.
enum class Run : std::uint8_t { contiguous, same, mixed };
Run run_of(const Lanes& lanes, int first, int count, std::int64_t stride);
// The kinds of pieces that an access may fall into.
enum class Pieces : std::uint8_t { contiguous, contiguous_or_same };
// The widest pieces that the pattern falls into, at least 8 lanes each; 0 when there are none.
int piece_width(const MemoryAccess& access, const Lanes& lanes, Pieces pieces);

Value* slice(Emitter& e, Value* vector, int first, int count);
Value* join(Emitter& e, llvm::SmallVector<Value*, 4> pieces);  // of one size each

using Components = llvm::SmallVector<Value*, 4>;
// Runs `body` with the address as affine, or as a vector where an index wraps, and merges what it returns.
void with_plain_index(Emitter& e, const MemoryAccess& access,
                      const std::function<Components(const MemoryAccess&)>& body, Components& results);

// For --race and --init: tells the runtime of the access. values: vectors of what is stored.
void emit_record(Emitter& e, const MemoryAccess& access, std::span<llvm::Value* const> values = {});

// Records the access without the runtime, where possible: goes to `done`, or to `slow` where the runtime has to be
// told. False: nothing was emitted.
bool emit_marks(Emitter& e, const MemoryAccess& access, std::uint32_t site, llvm::BasicBlock* slow,
                llvm::BasicBlock* done);

// The bounds check of an access; see emit_check.cpp.
void emit_check(Emitter& e, const MemoryAccess& access);

}  // namespace xcuda::device::cpu
