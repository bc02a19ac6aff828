// What the families of opcodes take: how many operands, which modifiers. An instruction with others is refused, so that
// none is run as if a word of it were not there.
#pragma once

#include <optional>
#include <string>

#include "ptx/tree.hpp"

namespace xcuda::device::cpu {

// Why an instruction is refused, for the message: "`.relu`", "compute capability 9.0". Nothing when it is not.
std::optional<std::string> refusal(const ptx::Instruction& instruction);
// What to say of an instruction that its family refuses; may be empty.
std::string why_refused(const ptx::Instruction& instruction);

}  // namespace xcuda::device::cpu
