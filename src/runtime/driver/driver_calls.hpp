// What each function of the Driver API begins and ends with: most are the CUDA Runtime's, with other names and numbers.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/driver/driver_api.hpp"

namespace xcuda::runtime::driver {

CUresult result_of(cudaError_t error);

// The error becomes a result, and the CUDA Runtime's own last error stays as it was. Earlier results:
// CUDA_ERROR_NOT_INITIALIZED, and from in_context() CUDA_ERROR_INVALID_CONTEXT.
CUresult after_init(const std::function<cudaError_t()>& function);
CUresult in_context(const std::function<cudaError_t()>& function);
// A stream that was made has a context of its own; the default streams are the current context's.
CUresult in_context_of(CUstream stream, const std::function<cudaError_t()>& function);

inline void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

// Writes where there is room for it.
template <class To, class Value> cudaError_t give(To* to, const Value& value) {
  if (to == nullptr) return cudaErrorInvalidValue;
  *to = static_cast<To>(value);
  return cudaSuccess;
}

}  // namespace xcuda::runtime::driver
