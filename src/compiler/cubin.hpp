// What a CUBIN says of itself: its ELF's entries with the sizes of their parameters, and its variables.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "compiler/ptx_scan.hpp"

namespace xcuda::compiler {

struct CubinFacts {
  int architecture = 0;  // 90 for sm_90
  PtxFacts facts;
};

// Errors: value, which says what the file is instead, or where it ends too early.
CubinFacts read_cubin(std::span<const std::byte> file, std::string_view name);

// The declarations as PTX, for all that reads those; a device that runs PTX refuses the text by its first line.
std::string declarations_of(const CubinFacts& cubin);

}  // namespace xcuda::compiler
