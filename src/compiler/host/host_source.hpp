// What makes device code that NVRTC compiles mean what g++ -O2 -fwrapv makes of it, for functions and loops that run on
// the host: the functions of <cmath> are those of the host's library, and a shift by a wrong count is an error, as in
// statements that are interpreted. See docs/decisions/host_arithmetic.md.
#pragma once

#include <string>
#include <string_view>

namespace xcuda::compiler {

// Definitions that take the place of NVIDIA's libdevice: calls of functions that the CPU device provides.
std::string host_math_source();
// Overloads of them for integers, to be put before the code.
std::string host_math_overloads();

// Shifts by a count that is not a small literal look at it first; nothing else changes, lines included. What the
// compiler refuses then may be right all the same: it is to be compiled as it is.
std::string with_checked_shifts(std::string_view source);
// Whether the compiler refused a source, with this log, that it may take without checked shifts, without the marks of
// wrapping_source.hpp, or with the toolkit's functions of <cmath>: a cell has one of its own.
bool is_refused_as_host_code(std::string_view source, std::string_view log);

}  // namespace xcuda::compiler
