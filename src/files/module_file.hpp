// Modules that no cell compiled: PTX, and CUBINs. What they declare, as if a cell had been compiled to them.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/compile_output.hpp"

namespace xcuda::files {

struct ModuleFile {
  std::string name;          // of the module
  std::string source;        // what errors name: the cell, or a file
  std::string architecture;  // of the device, for PTX that leaves out what a file begins with
  enum class Kind : std::uint8_t { ptx, cubin } kind = Kind::ptx;
  std::string bytes;  // of the file
};

// With the text, or the declarations of the machine code as text. Errors: value (no CUBIN), compile (nothing is
// defined).
compiler::CompileOutput read_module(ModuleFile file);

}  // namespace xcuda::files
