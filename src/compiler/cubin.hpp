// What a CUBIN declares: its ELF's entries with the sizes of their parameters, and its variables.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "ptx/ptx_tree.hpp"

namespace xcuda::compiler {

// Its declarations as a module: the target, entries with unnamed parameters, variables without a type or values.
// Errors: value, which says what the file is instead, or where it ends too early.
ptx::Module read_cubin(std::span<const std::byte> file, std::string_view name);

// The declarations as PTX, for all that reads PTX; a device that runs PTX refuses the text by its first line.
std::string declarations_of(const ptx::Module& cubin);

}  // namespace xcuda::compiler
