#include "runtime/driver/driver_calls.hpp"
#include "runtime/driver/driver_contexts.hpp"
#include "runtime/errors.hpp"

namespace xcuda::runtime::driver {
namespace {

struct ResultRow {
  CUresult result;
  const char* name;
};
constexpr ResultRow kResults[] = {
#define XCUDA_CUDA_RESULT(name) {name, #name},
#include "runtime/driver/driver_results.def"
#undef XCUDA_CUDA_RESULT
};

const ResultRow* find_result(CUresult result) {
  for (const auto& row : kResults)
    if (row.result == result) return &row;
  return nullptr;
}

}  // namespace

// Numbers that the CUDA Runtime alone has are what the driver says of the same.
CUresult result_of(cudaError_t error) {
  const auto same = static_cast<CUresult>(error);
  if (find_result(same)) return same;
  return error == cudaErrorInvalidDeviceFunction ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
}

CUresult after_init(const std::function<cudaError_t()>& function) {
  if (!is_initialized()) return CUDA_ERROR_NOT_INITIALIZED;
  const RuntimeUnchanged unchanged;
  return result_of(function());
}

CUresult in_context(const std::function<cudaError_t()>& function) {
  if (!is_initialized()) return CUDA_ERROR_NOT_INITIALIZED;
  const auto current = current_context();
  if (current == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  return exists(current) ? after_init(function) : CUDA_ERROR_CONTEXT_IS_DESTROYED;  // by another thread
}

CUresult in_context_of(CUstream stream, const std::function<cudaError_t()>& function) {
  const bool is_default = stream == nullptr || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
  if (is_default) return in_context(function);
  return after_init([&] {
    const auto error = with_state([&](State& state) {
      const auto* found = state.find_stream(stream);
      const bool is_gone = found != nullptr && found->context != nullptr && !exists(found->context);
      return is_gone ? cudaErrorContextIsDestroyed : cudaSuccess;
    });
    return error == cudaErrorContextIsDestroyed ? error : function();
  });
}

CUresult cuGetErrorName(CUresult result, const char** to) {
  const auto* row = find_result(result);
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *to = row ? row->name : nullptr;
  return row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult result, const char** to) {
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool known = find_result(result) != nullptr;
  *to = known ? text_of(static_cast<cudaError_t>(result)) : nullptr;
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace xcuda::runtime::driver
