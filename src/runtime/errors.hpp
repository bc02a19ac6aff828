// CUDA's errors: their names and texts, and the conversion of the device's own.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "base/error.hpp"
#include "device/device.hpp"

namespace xcuda::runtime {

const char* name_of(cudaError_t error);  // "cudaErrorInvalidValue"; CUDA's own words for a number that is not an error
const char* text_of(cudaError_t error);  // "invalid argument"

cudaError_t error_of(const device::Fault& fault);
cudaError_t error_of(const Error& error);
cudaError_t error_of(const device::RefusedLaunch& refused);

std::string describe(const device::Fault& fault);  // one line for people
std::string describe(const Error& error);

// A line on stderr, for what an error code cannot say: "xcuda: ...".
void say(const std::string& line);

}  // namespace xcuda::runtime
