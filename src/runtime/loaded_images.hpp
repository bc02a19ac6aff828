// Modules that a program loads itself, for cudaLibrary...() and the Driver API's cuModule...() and cuLibrary...().
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/api_calls.hpp"

namespace xcuda::runtime {

// code: PTX text, or a fat binary with PTX. message: what was wrong with it; if null, that goes to stderr.
cudaError_t load_module(State& state, const void* code, Image*& image, std::string* message = nullptr);
cudaError_t load_module_of_file(State& state, const char* path, Image*& image, std::string* message = nullptr);
cudaError_t unload_module(State& state, Image* image);  // after the work that may use it

cudaError_t find_kernel_of(const Image* image, const char* name, Function*& function);
cudaError_t find_variable_of(const Image* image, const char* name, const device::VariableInfo*& variable);
cudaError_t find_kernels_of(const Image* image, std::vector<Function*>& functions);

}  // namespace xcuda::runtime
