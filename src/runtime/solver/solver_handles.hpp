// What the parts of cuSOLVER share: handles, and what arguments must be like.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

#include "runtime/math/handle_table.hpp"
#include "runtime/math/math_calls.hpp"

namespace xcuda::runtime::math {

struct Solver {
  cudaStream_t stream = nullptr;
  int is_deterministic = 1, math = 1, emulation = 0;  // kept for queries
};
inline Solver* find_solver(const void* handle) { return table_of<Solver>().find(handle); }

inline bool is_matrix(std::int64_t rows, std::int64_t columns, std::int64_t leading) {
  return rows >= 0 && columns >= 0 && leading >= std::max<std::int64_t>(rows, 1);
}

// What a call needs: one element, as LAPACK has memory of its own.
inline int give_size(const void* handle, Conditions conditions, int* size) {
  if (find_solver(handle) == nullptr) return kSolverCodes.uninitialized;
  if (!all_hold(conditions) || size == nullptr) return kSolverCodes.value;
  *size = 1;
  return 0;
}
// In bytes, on the device and on the host.
inline int give_sizes(const void* handle, Conditions conditions, std::size_t* device, std::size_t* host) {
  if (find_solver(handle) == nullptr) return kSolverCodes.uninitialized;
  if (!all_hold(conditions) || device == nullptr || host == nullptr) return kSolverCodes.value;
  *device = *host = 1;
  return 0;
}

struct JacobiParameters {  // of Jacobi's method, which LAPACK does not need
  double tolerance = 0, residual = 0;
  int sweeps = 100, sorts = 1;
};

}  // namespace xcuda::runtime::math
