// Writes instructions at the end of a function: what passes over the tree put in the place of others.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string_view>

#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

ptx::Operand reg(ptx::Register index);
ptx::Operand number(std::uint64_t value);
ptx::Operand named(ptx::Operand::Kind kind, ptx::SymbolKind symbol, ptx::Index index);

class InstructionWriter {
 protected:
  explicit InstructionWriter(ptx::Function& function) : function_(function) {}

  // Writes all instructions anew, after what `begin` writes. Labels stay before the same instructions.
  void rewrite(const std::function<void()>& begin, const std::function<void(const ptx::Instruction&)>& write);

  ptx::Operand new_register(ptx::Type type);
  // A symbol: so much local memory of each thread.
  ptx::Operand new_local(std::string_view name, std::uint64_t bytes);
  ptx::Index new_label(std::string_view name);  // has no place yet
  void place(ptx::Index label);                 // before the next instruction

  // With the guard and the place of `at_`.
  ptx::Instruction& add(ptx::Opcode opcode, std::initializer_list<ptx::Operand> operands);
  void move(const ptx::Operand& to, const ptx::Operand& from, ptx::Type type = ptx::Type::u64);
  void compare(ptx::Modifier comparison, const ptx::Operand& result, const ptx::Operand& a, const ptx::Operand& b,
               ptx::Type type = ptx::Type::u32);
  // One result, of that type.
  static ptx::Instruction& typed(ptx::Instruction& instruction, ptx::Type type);
  // Whatever the guard of `at_` is; no register: always.
  ptx::Instruction& jump(ptx::Register guard, ptx::Index label);
  // `at_` is a guarded instruction for what follows: without its guard, after a jump to the label that is returned
  // where the guard does not hold; no label where it has none. end_of_guard() places the label.
  ptx::Index begin_guard();
  void end_of_guard(ptx::Index over);

  ptx::Function& function_;
  ptx::Instruction at_;  // in whose place instructions are added
};

}  // namespace xcuda::device::cpu
