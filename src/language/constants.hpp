// Constants of <cmath>, <climits>, <cfloat> and the CUDA Runtime.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "language/scalar_value.hpp"

namespace xcuda::language {

// M_PI, INFINITY, INT_MAX, FLT_EPSILON, ...
std::optional<ScalarValue> known_constant(std::string_view name);
bool is_place_name(std::string_view name);  // __LINE__, __FILE__, __func__ and its two old spellings
std::vector<std::string> constant_names();  // of all of them, sorted
// std::numeric_limits<float>::max() and the like, by the function's name.
std::optional<ScalarValue> numeric_limit(std::string_view name);

// An error of the CUDA Runtime: cudaErrorInvalidValue, 1, "invalid argument".
struct RuntimeError {
  std::string_view name;
  int number = 0;
  std::string_view text;
};
const RuntimeError* find_runtime_error(std::int64_t number);  // null where CUDA has no such error

}  // namespace xcuda::language
