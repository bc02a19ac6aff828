// The PTX in what nvcc embeds in a program.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"

namespace xcuda::runtime {

// wrapper: what __cudaRegisterFatBinary() is given. Of several PTX texts the newest that compute_80 may run. Errors:
// unsupported, where there is machine code only, or where the PTX is compressed.
std::string ptx_of(const void* wrapper);

}  // namespace xcuda::runtime
