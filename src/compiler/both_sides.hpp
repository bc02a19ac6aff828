// Code that nvcc compiles for the host and for the device, and NVRTC for the device alone.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "compiler/compile_output.hpp"

namespace xcuda::compiler {

// What nvcc's host compiler defines on both sides, such as __linux__, as far as the code asks for it. It comes after
// the headers, because NVRTC is another compiler to them.
std::string host_macros(const std::unordered_set<std::string>& names);
// Options of host code, where each operation is rounded by itself.
void round_each_operation(std::vector<std::string>& options);
// NVRTC refuses functions for the host alone. Those of the user's headers are device code like all others, as in cells.
void accept_host_annotations(CompileRequest& request);
// In code that runs on the host, #ifdef __CUDA_ARCH__ of cells takes the host's branch, if it has one. The toolkit's
// headers come before.
void take_branches_of_host(std::string& source);

}  // namespace xcuda::compiler
