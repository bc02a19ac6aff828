// The registers of a function, and the operands of its instructions. Registers are stack slots, which both clones of a
// block share, and which LLVM turns into SSA values.
#pragma once

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
  void clear(const BitSet& registers);
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
  // Where the result is an index of that form; false: it is not.
  bool write_delayed(const ptx::Instruction& instruction);
  bool write_permuted(const ptx::Instruction& instruction);

  Held address_of_symbol(const ptx::Operand& operand);

 private:
  void write_register(ptx::Register reg, Held value);
  void store_register(ptx::Register reg, Held value);
  Held delayed_index(const Held& value, const Form& form);  // a 32-bit affine value as a delayed one

  Emitter& e_;
  std::vector<Slots> slots_;  // by register
  BitSet read_;               // registers that some instruction reads
};

}  // namespace xcuda::device::cpu
