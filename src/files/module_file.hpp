// Modules that no cell compiled: PTX and CUBINs. Their declarations appear as if a cell had been compiled to them.
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

// The module with its PTX, or with the declarations of its machine code as text. Errors: value (not a CUBIN), compile
// (nothing is defined).
compiler::CompileOutput read_module(ModuleFile file);

}  // namespace xcuda::files
