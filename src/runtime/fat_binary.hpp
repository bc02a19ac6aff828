// The PTX in what nvcc embeds in a program.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"

namespace xcuda::runtime {

// wrapper: the argument of __cudaRegisterFatBinary(). Of several PTX texts of one source it takes the newest that
// compute_80 may run; texts of several sources (-rdc=true) are linked. Errors: unsupported, where there is only machine
// code, or where the PTX is compressed.
std::string ptx_of(const void* wrapper);

// The PTX of a module that a program loads: PTX text, a fat binary, or a wrapper of one. A CUBIN is unsupported.
std::string ptx_of_module(const void* code);

}  // namespace xcuda::runtime
