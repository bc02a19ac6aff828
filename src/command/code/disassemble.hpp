// SASS, by the toolkit's own disassembler.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/interrupt.hpp"

namespace xcuda::command {

// The code of a whole module. program: a path of nvdisasm or cuobjdump. Errors: io (it cannot be run, or its own
// error), interrupted.
std::string disassemble(const std::string& program, std::span<const std::byte> cubin, Interrupt& interrupt);

// The part that belongs to one entry; everything when it cannot be told.
std::string section_of(const std::string& listing, const std::string& entry);

}  // namespace xcuda::command
