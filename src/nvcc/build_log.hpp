// What nvcc, the host compiler and the linkers say, as diagnostics with places in the cells.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/compile_output.hpp"
#include "nvcc/source_file.hpp"

namespace xcuda::nvcc {

// The diagnostics in the order of the stages: nvcc's front end and ptxas, the host compiler, the linkers, nvcc itself.
std::vector<compiler::Diagnostic> parse_build_log(std::string_view log, const std::vector<SourceFile>& files);

}  // namespace xcuda::nvcc
