// Which forms of an instruction the CPU device takes, beside the words and the number of operands that its row of
// instructions.def allows: combinations of types, shapes and operands.
#pragma once

#include <optional>
#include <string>

#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

// Why the form is refused, for a message: "cube maps". Empty if the form has no name; nothing if it is taken.
std::optional<std::string> refused_form(const ptx::Function& function, const ptx::Instruction& instruction);

}  // namespace xcuda::device::cpu
