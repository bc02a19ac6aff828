// Signed arithmetic of host code wraps, as that of g++ -fwrapv does, though NVRTC assumes that it does not overflow.
// See docs/decisions/host_arithmetic.md.
#pragma once

#include <string>
#include <string_view>

namespace xcuda::compiler {

constexpr std::string_view kWrapMark = "xcuda_wrap()";  // xcuda/wrapping.cuh says how it works

// Marks +, -, *, +=, -= and *= in the bodies of functions and macros. Only tokens are read, and what may be a
// declaration (`T* p`), a cast or a subscript that computes nothing else stays as it is. What the compiler refuses then
// may be right all the same: it is to be compiled without.
std::string with_wrapping_arithmetic(std::string_view source);

}  // namespace xcuda::compiler
