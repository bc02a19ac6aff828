// What the parts of cuSOLVER share: handles, and what arguments must be like.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "runtime/math/handle_table.hpp"

namespace xcuda::runtime::math {

struct Solver {
  cudaStream_t stream = nullptr;
};
inline Solver* find_solver(const void* handle) { return table_of<Solver>().find(handle); }

inline bool is_matrix(std::int64_t rows, std::int64_t columns, std::int64_t leading) {
  return rows >= 0 && columns >= 0 && leading >= std::max<std::int64_t>(rows, 1);
}

using Conditions = std::initializer_list<bool>;  // conditions on arguments
inline bool all_hold(Conditions conditions) {
  return std::find(conditions.begin(), conditions.end(), false) == conditions.end();
}

}  // namespace xcuda::runtime::math
