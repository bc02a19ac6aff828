#include "base/half.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace xcuda {
namespace {

// value as sign, exponent and significand of a format with that many exponent and fraction bits.
std::uint16_t round_to(double value, int exponent_bits, int fraction_bits) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 63 << 15);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto infinity = static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << fraction_bits);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | infinity | (1 << (fraction_bits - 1)));
  if (std::isinf(value)) return sign | infinity;
  if (value == 0) return sign;
  int exponent = 0;
  std::frexp(value, &exponent);  // |value| = m * 2^exponent, m in [0.5, 1)
  // The unit in the last place: subnormals share that of the smallest normal number.
  const int ulp = std::max(exponent - 1, 1 - bias) - fraction_bits;
  const double count = std::nearbyint(std::ldexp(std::fabs(value), -ulp));  // rounds to nearest even
  const auto units = static_cast<std::uint32_t>(count);
  // With the exponent field of ulp 0, units carries the hidden bit, and a carry of rounding moves into the exponent.
  const auto field = static_cast<std::uint32_t>(ulp + fraction_bits + bias - 1);
  const std::uint32_t magnitude = (field << fraction_bits) + units;
  return sign | static_cast<std::uint16_t>(magnitude >= infinity ? infinity : magnitude);
}

}  // namespace

float half_to_float(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  float value = 0;
  if (exponent == 31)
    value = fraction != 0 ? NAN : INFINITY;
  else if (exponent == 0)
    value = std::ldexp(static_cast<float>(fraction), -24);
  else
    value = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  return (bits & 0x8000) != 0 ? -value : value;
}

float bfloat16_to_float(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

std::uint16_t double_to_half(double value) { return round_to(value, 5, 10); }
std::uint16_t double_to_bfloat16(double value) { return round_to(value, 8, 7); }
std::uint16_t float_to_half(float value) { return round_to(value, 5, 10); }
std::uint16_t float_to_bfloat16(float value) { return round_to(value, 8, 7); }

}  // namespace xcuda
