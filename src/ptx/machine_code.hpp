// The first line of a text that only declares what a module of machine code holds; it has no PTX to run.
#pragma once

#include <string_view>

namespace xcuda::ptx {

inline constexpr std::string_view kMachineCodeAlone = "// Declarations of machine code, which has no PTX.";

}  // namespace xcuda::ptx
