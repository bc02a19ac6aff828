// What nvcc, the host compiler and the linkers say, as diagnostics with places in the cells.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/compile_output.hpp"
#include "nvcc/source_file.hpp"

namespace xcuda::nvcc {

// In the order of the stages: nvcc's front end and ptxas, then the host compiler, the linkers and nvcc itself.
std::vector<compiler::Diagnostic> parse_build_log(std::string_view log, const std::vector<SourceFile>& files);

}  // namespace xcuda::nvcc
