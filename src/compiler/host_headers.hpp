// Headers of CUDA's host side (Thrust, CUB's device-wide algorithms, cuBLAS and its like), which NVRTC cannot compile:
// what a cell gets for them instead of dozens of errors in the middle of the toolkit.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/compile_output.hpp"

namespace xcuda::compiler {

// Whether a name in #include is that of one of them.
bool is_host_header(std::string_view name);

// When an error is in a header, and the request's own cell includes one of these: one error at the line of the
// cell, which says what to use, replaces all that are in headers.
void explain_host_headers(std::vector<Diagnostic>& diagnostics, const CompileRequest& request);

// When the first error is about std::string, std::vector or the like in device code: it says where that works, and the
// errors after it, which follow from it, are left out. Whether it did so.
bool explain_host_types(std::vector<Diagnostic>& diagnostics);

}  // namespace xcuda::compiler
