// Numbers for tests, the same in each run.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace xcuda::device::cpu {

template <class T> std::vector<T> numbers(std::size_t count, double lo = -1, double hi = 1, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(std::uniform_real_distribution<double>(lo, hi)(random));
  return values;
}

}  // namespace xcuda::device::cpu
