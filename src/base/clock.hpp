// How long something took.
#pragma once

#include <chrono>
#include <cstdint>

namespace xcuda {

using Clock = std::chrono::steady_clock;

// Nanoseconds.
inline std::int64_t since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

}  // namespace xcuda
