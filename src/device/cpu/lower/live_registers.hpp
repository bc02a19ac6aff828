// The registers of a function that are read after an instruction before they are written.
#pragma once

#include <functional>
#include <vector>

#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

// The registers that an instruction writes, with the results of a call.
void each_written(const ptx::Function& function, const ptx::Instruction& instruction,
                  const std::function<void(ptx::Register)>& visit);
// A jump or the end of the function, without a guard.
bool always_leaves(const ptx::Instruction& instruction);

// After each of these instructions, by index.
std::vector<std::vector<ptx::Register>> live_after(const ptx::Function& function, const std::vector<std::size_t>& at);

}  // namespace xcuda::device::cpu
