// Signed arithmetic of host code wraps, as that of g++ -fwrapv does, though NVRTC assumes that it does not overflow.
// See docs/decisions/host_arithmetic.md.
#pragma once

#include <string>
#include <string_view>

namespace xcuda::compiler {

constexpr std::string_view kWrapMark = "xcuda_wrap()";  // xcuda/wrapping.cuh says how it works

// NVRTC 13.0 unrolls some loops wrongly: of for (; i < n; ++i) if (w[i - 1] > w[i]) std::swap(w[i - 1], w[i]), where i
// and what it counts come from outside, the second of four turns stores where the first did. The CPU device unrolls
// itself.
constexpr std::string_view kLoopMark = "_Pragma(\"unroll 1\")";

// Marks loops, and +, -, *, +=, -= and *=, in the bodies of functions and macros. Only tokens are read, and what may be
// a declaration (`T* p`), a cast or a subscript that computes nothing else stays as it is. What the compiler refuses
// then may be right all the same: it is to be compiled without.
std::string with_wrapping_arithmetic(std::string_view source);

}  // namespace xcuda::compiler
