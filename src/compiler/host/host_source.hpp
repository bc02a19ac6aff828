// Makes device code that NVRTC compiles behave as with g++ -O2 -fwrapv, for functions and loops that run on the host:
// the functions of <cmath> are those of the host's library, and a shift by a wrong count is an error, as in statements
// that are interpreted. See docs/decisions/host_arithmetic.md.
#pragma once

#include <string>
#include <string_view>

namespace xcuda::compiler {

// Definitions that take the place of NVIDIA's libdevice: calls of functions that the CPU device provides.
std::string host_math_source();
// Overloads of these functions for integers, to be put before the code.
std::string host_math_overloads();

// The source with shifts that check any count that is not a small literal; nothing else changes, lines included. The
// compiler may refuse the result of a correct source: compile that as it is.
std::string with_checked_shifts(std::string_view source);
// A piece of such a source, or of one with wrapping arithmetic, as the user wrote it: a failed assert shows its
// condition.
std::string without_marks(std::string_view text);
// Whether the compiler refused a source, with this log, that it may take without checked shifts, without the marks of
// wrapping_source.hpp, or with the toolkit's functions of <cmath>: a cell has one of its own.
bool is_refused_as_host_code(std::string_view source, std::string_view log);

}  // namespace xcuda::compiler
