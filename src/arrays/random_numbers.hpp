// Random numbers in arrays: from Philox, counted by the element's index (sequence.hpp), or from a generator of cuRAND.
#pragma once

#include <cstdint>
#include <optional>

#include "arrays/array_math.hpp"
#include "library/random_request.hpp"

namespace xcuda::arrays {

struct RandomNumbers {
  enum class Kind : std::uint8_t { uniform, normal, lognormal, poisson, randint } kind = Kind::uniform;
  double first = 0, second = 1;  // uniform: lo, hi; normal, lognormal: mean, deviation; poisson: mean
  std::int64_t low = 0;          // of randint
  std::uint64_t range = 0;       // of randint, up to 2^32; 0: the generator's words as they are
  std::uint64_t seed = 0;
  std::optional<library::Random> generator;
};

// The request to the library.
library::Random random_of(const RandomNumbers& numbers);

// Fills all elements of the target, which has no gaps.
void fill(ArrayMath& math, Operations& operations, const RandomNumbers& numbers, const Pointer& target);

}  // namespace xcuda::arrays
