// Puts the bodies of functions into another function in the place of calls.
#pragma once

#include <initializer_list>
#include <optional>
#include <vector>

#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

// The callee of a direct call, by index into Module::functions.
std::optional<ptx::Index> callee_of(const ptx::Function& function, const ptx::Instruction& instruction);

// Makes an instruction with the place of another one; its operands are added to the function's.
ptx::Instruction make_instruction(ptx::Function& function, const ptx::Instruction& at, ptx::Opcode opcode,
                                  std::initializer_list<ptx::Operand> operands);

struct Splice {
  const ptx::Module& module;
  const std::vector<bool>& chosen;  // the callees, by function
  std::size_t& inserted;            // instructions, in all functions so far; at some number calls stay calls
};
void splice(ptx::Function& function, const Splice& splice);

}  // namespace xcuda::device::cpu
