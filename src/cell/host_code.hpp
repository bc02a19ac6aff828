// What pasted host code holds, and what to write here instead.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "cell/tree.hpp"

namespace xcuda::cell {

struct HostCodeAnswer {
  bool accepted = false;  // a call that may stay: cudaDeviceSynchronize() does what it says, or nothing is left to do
  std::string advice;     // what to write here instead
};

// For a name of the CUDA runtime API, of the C++ library's host part, or of an error-check macro ("CUDA_CHECK",
// "gpuErrchk"), qualified or not, template arguments ignored: "cudaMalloc", "std::cout", "std::vector<float>", "main".
// Nothing for all other names.
std::optional<HostCodeAnswer> host_code_answer(std::string_view name);

// The error that answers host code in a cell's device code: main(), a launch or a host API call inside a function,
// __managed__. Nothing when there is none.
std::optional<Error> host_code_error(const Cell& cell, std::string_view cell_name);

}  // namespace xcuda::cell
