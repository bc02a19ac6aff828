// The registers of a function, and the operands of its instructions. Registers that are live into some block are stack
// slots, which both clones of a block share and LLVM turns into SSA values. Within a block a register is the
// value that was loaded at the block's start or written last: its slot is stored once, at the end. LLVM's promotion of
// slots looks through a block for each slot that the block stores and loads, so that many accesses in long blocks took
// most of the time.
#pragma once

#include <map>
#include <vector>

#include "device/cpu/emit/lane_values.hpp"
#include "device/cpu/plan/bits.hpp"

namespace xcuda::device::cpu {

class RegisterFile {
 public:
  using Value = llvm::Value;
  using Slots = llvm::SmallVector<Value*, 4>;  // as Held::parts

  explicit RegisterFile(Emitter& e);

  void make();
  // Reads and writes from here on are the block's own until flush(), after which slots hold what other blocks read.
  // end_block(): only the slots are left.
  void begin_block();
  void flush();
  void end_block();
  void clear(const BitSet& registers);
  void put(ptx::Register reg, std::size_t index, Value* value);  // outside of blocks; as Held::parts
  const Slots& slots(ptx::Register reg) const { return slots_[reg]; }
  void swap(std::vector<Slots>& others) { std::swap(slots_, others); }  // while code for one lane is emitted

  // The value has the element type of `type`; wider registers are cut.
  Held read(const ptx::Operand& operand, ptx::Type type);
  Value* read_vector(const ptx::Operand& operand, ptx::Type type);
  Held read_register(ptx::Register reg);
  // Writes a result; narrower values are extended as `type` says. Guard and blend are applied here.
  void write(const ptx::Operand& operand, const Held& value, ptx::Type type);
  bool is_read(const ptx::Operand& operand) const;  // anywhere in the function

  void elementwise(const ptx::Instruction& instruction, std::span<const ptx::Type> types, ptx::Type result,
                   const Make& make);
  // Writes the result as a delayed index; false: it is not one.
  bool write_delayed(const ptx::Instruction& instruction);
  bool write_permuted(const ptx::Instruction& instruction);

  Held address_of_symbol(const ptx::Operand& operand);

 private:
  void write_register(ptx::Register reg, const Held& value);
  Held delayed_index(const Held& value, const RegisterForm& form);  // a 32-bit affine value as a delayed one
  Value* part(ptx::Register reg, std::size_t index);
  void set_part(ptx::Register reg, std::size_t index, Value* value);
  bool read_elsewhere(ptx::Register reg) const;
  bool saves_at_once(ptx::Register reg) const;
  bool in_memory() const;
  void find_known();
  void hand_on();

  Emitter& e_;
  std::vector<Slots> slots_;  // by register; none where it is never live into a block
  BitSet read_;               // registers that some instruction reads
  BitSet live_;               // into some block
  // With Dispatch::shared, by block: the registers that its converged clone begins with as values; it loads the others.
  std::vector<BitSet> known_;

  // The state of the block whose instructions are emitted.
  llvm::BasicBlock* top_ = nullptr;  // holds its first loads; null without loads
  llvm::Instruction* last_load_ = nullptr;
  std::map<ptx::Register, Slots> values_;  // null: not loaded yet
  std::map<std::pair<ptx::Register, std::size_t>, llvm::StoreInst*> saves_;
  BitSet written_;
};

}  // namespace xcuda::device::cpu
