// The PTX in what nvcc embeds in a program.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"

namespace xcuda::runtime {

// wrapper: what __cudaRegisterFatBinary() is given. Of several PTX texts of one source the newest that compute_80 may
// run; those of several sources (-rdc=true) are linked. Errors: unsupported, where there is machine code only, or where
// the PTX is compressed.
std::string ptx_of(const void* wrapper);

// The same of what a program loads as a module: PTX text, a fat binary, or a wrapper of one. A CUBIN is unsupported.
std::string ptx_of_module(const void* code);

}  // namespace xcuda::runtime
