// SASS of one kernel, by the toolkit's own disassembler.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/interrupt.hpp"

namespace xcuda::command {

// program: a path of nvdisasm or cuobjdump. Errors: io (it cannot be run, or says why it fails), interrupted.
std::string disassemble(const std::string& program, std::span<const std::byte> cubin, const std::string& entry, Interrupt& interrupt);

}  // namespace xcuda::command
