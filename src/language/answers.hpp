// Habits from elsewhere, and what to write here: of pasted host code, and of NumPy, CuPy, Numba and Thrust.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cell/tree.hpp"
#include "language/iterators.hpp"

namespace xcuda::language {

struct HostCodeAnswer {
  std::string advice;  // what to write here instead
};

// The answer to a name of the CUDA runtime API, of the C++ library's host part, or of an error-check macro
// ("CUDA_CHECK", "gpuErrchk"), qualified or not: "cudaMalloc", "std::cout", "main". Template arguments are ignored:
// "std::vector<float>".
// Nothing for all other names.
std::optional<HostCodeAnswer> host_code_answer(std::string_view name);
// CUDA_CHECK, checkCudaErrors, gpuErrchk: around a call of the runtime.
bool is_error_check(std::string_view name);

// The error that answers host code in a cell's device code: main(), a launch or a host API call inside a function that
// is not annotated. Nothing when the cell has no host code.
std::optional<Error> host_code_error(const cell::Cell& parsed, std::string_view cell_name);

// What to write for function(x); empty for an unknown name. x: the argument of the call, or a placeholder.
std::string familiar_function(std::string_view function, std::string_view x);
// Whether a call of this name is answered with what to write here.
bool is_habit(std::string_view function);
// What to write for std::f(x.begin(), x.end(), value).
std::string familiar_algorithm(std::string_view function, const IteratorRange& range);
// What to write for x.member and x.member().
std::string familiar_member(std::string_view member, std::string_view x);

// Whether an array can be the first argument: x.sum() is sum(x).
bool is_function_of_arrays(std::string_view name);
std::vector<std::string> methods_of_arrays();

}  // namespace xcuda::language
