// What CUDA once had in device code, and what takes its place.
#pragma once

#include <string_view>

namespace xcuda::compiler {

// Empty for a name that CUDA has not removed.
std::string_view successor_of(std::string_view name);

}  // namespace xcuda::compiler
