// Headers for device code that packages of NVIDIA's bring: CUTLASS and CuTe, cuBLASDx, cuFFTDx, cuRANDDx, cuSolverDx. A
// cell includes them; where they are is found here, each time, so that a package can be installed while a session runs.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compile_output.hpp"

namespace xcuda::compiler {

// Whether a name in #include is that of such a header.
bool is_package_header(std::string_view name);

// Adds the folders of the headers that the request includes and that none of its own folders has. `folders` are asked
// for only then: library_folders().
void add_package_folders(CompileRequest& request, const std::function<std::vector<std::string>()>& folders);

// Errors about a missing header say which package has it.
void explain_package_headers(std::vector<Diagnostic>& diagnostics);

}  // namespace xcuda::compiler
