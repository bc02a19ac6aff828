// f64 arithmetic rounded down, up or towards zero, for processors whose instructions do not say how to round.
#include <bit>
#include <cfenv>
#include <cmath>

#include "device/cpu/run/launch_state.hpp"

namespace xcuda::device::cpu {

// Compiled without assumptions about the rounding mode: operands and results pass through volatile memory.
std::uint32_t directed_f64(BlockFrame*, LaneCall* call) {
  const auto operation = call->arguments[0][0] / 4;
  const auto mode = call->arguments[0][0] % 4;
  const int before = std::fegetround();
  std::fesetround(mode == 1 ? FE_DOWNWARD : mode == 2 ? FE_UPWARD : FE_TOWARDZERO);
  for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane) {
    if (!(call->mask >> lane & 1)) continue;
    const volatile double x = std::bit_cast<double>(call->arguments[1][lane]),
                          y = std::bit_cast<double>(call->arguments[2][lane]);
    const volatile double z = std::bit_cast<double>(call->arguments[3][lane]);
    volatile double result = 0;
    switch (operation) {
      case 0: result = x + y; break;
      case 1: result = x - y; break;
      case 2: result = x * y; break;
      case 3: result = x / y; break;
      case 4: result = std::sqrt(x); break;
      default: result = std::fma(x, y, z); break;
    }
    const double settled = result;
    call->results[lane] = std::bit_cast<std::uint64_t>(settled);
  }
  std::fesetround(before);
  return 0;
}

}  // namespace xcuda::device::cpu
