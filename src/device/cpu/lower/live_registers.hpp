// The registers of a function that are read after an instruction before they are written.
#pragma once

#include <vector>

#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

// After each of these instructions, by index.
std::vector<std::vector<ptx::Register>> live_after(const ptx::Function& function, const std::vector<std::size_t>& at);

}  // namespace xcuda::device::cpu
