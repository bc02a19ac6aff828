// Names that people bring along from NumPy, CuPy, Numba and Thrust, and what is written for them here. Pure.
#pragma once

#include <string>
#include <string_view>

namespace xcuda::interpreter {

// What to write for function(x); empty for a name that is nobody's. x: what the call was given, or stands for it.
std::string familiar_function(std::string_view function, std::string_view x);
// For x.member and x.member().
std::string familiar_member(std::string_view member, std::string_view x);

}  // namespace xcuda::interpreter
