// Instructions that the lanes of a warp execute together, and where lanes have to wait for one another before they do.
#pragma once

#include <vector>

#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

struct Plan;

// For each instruction of the function: whether lanes execute it together, or may do so in what it calls.
std::vector<bool> joint_instructions(const ptx::Module& module, const ptx::Function& function);

// The operand of a joint instruction with a bit for each lane that it names; null: it names all of them.
const ptx::Operand* named_lanes(const ptx::Function& function, const ptx::Instruction& instruction);

// Marks each joint instruction that some lanes of a warp may come to while others may be elsewhere and come to one as
// well. False: all of them had been marked.
bool add_meetings(const ptx::Function& function, const Plan& plan, const std::vector<bool>& joint,
                  std::vector<bool>& meets);

}  // namespace xcuda::device::cpu
