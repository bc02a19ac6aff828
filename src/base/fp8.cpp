#include "base/fp8.hpp"

#include <cmath>
#include <limits>

#include "base/half.hpp"

namespace xcuda {

std::optional<Fp8> fp8_of(std::string_view type) {
  if (type == "__nv_fp8_e4m3") return Fp8::e4m3;
  if (type == "__nv_fp8_e5m2") return Fp8::e5m2;
  return std::nullopt;
}

float fp8_to_float(Fp8 type, std::uint8_t bits) {
  if (type == Fp8::e5m2) return half_to_float(static_cast<std::uint16_t>(bits << 8));  // half without its last 8 bits
  constexpr int kBias = 7, kFraction = 3;
  const int exponent = bits >> kFraction & 15, fraction = bits & 7;
  const float sign = (bits & 0x80) != 0 ? -1.0f : 1.0f;
  if (exponent == 15 && fraction == 7) return std::numeric_limits<float>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), 1 - kBias - kFraction);
  return sign * std::ldexp(static_cast<float>(8 + fraction), exponent - kBias - kFraction);
}

}  // namespace xcuda
