// Puts the bodies of functions into another function in the place of calls.
#pragma once

#include <functional>
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

// What one function has was put after what another one has: by how much its indices are larger there.
struct Pools {
  ptx::Index registers = 0, operands = 0, calls = 0, labels = 0, lists = 0, prototypes = 0, arguments = 0;
};
// All but variables and instructions; registers, labels and vectors in operands are those of `to` then.
Pools append_pools(ptx::Function& to, const ptx::Function& from);
// The operands that it appended, of instructions and of calls.
void each_appended(ptx::Function& to, const Pools& pools, const std::function<void(ptx::Operand&)>& visit);

struct Splice {
  const ptx::Module& module;
  const std::vector<bool>& chosen;  // the callees, by function
  std::size_t& inserted;            // instructions, in all functions so far; at some number calls stay calls
};
void splice(ptx::Function& function, const Splice& splice);

}  // namespace xcuda::device::cpu
