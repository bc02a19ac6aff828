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
  // Subnormal numbers share the unit in the last place of the smallest normal one.
  const int exponent = std::max(static_cast<int>(bits >> 52 & 2047) - 1023, 1 - bias);
  const auto unit = std::bit_cast<double>(static_cast<std::uint64_t>(exponent - fraction_bits + 1023) << 52);
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::fabs(value) / unit));  // to nearest even
  // units has the hidden bit, which adds 1 to the exponent's field, and so does a carry of the rounding.
  const std::uint32_t magnitude = (static_cast<std::uint32_t>(exponent + bias - 1) << fraction_bits) + units;
  return sign | static_cast<std::uint16_t>(std::min<std::uint32_t>(magnitude, infinity));
}

}  // namespace

float half_to_float(std::uint16_t bits) {
  const std::uint32_t magnitude = bits & 0x7fff;
  float value = 0;
  if (magnitude >= 0x7c00)
    value = magnitude > 0x7c00 ? NAN : INFINITY;
  else if (magnitude < 0x400)
    value = static_cast<float>(magnitude) * 0x1p-24f;
  else
    value = std::bit_cast<float>((magnitude << 13) + (std::uint32_t{127 - 15} << 23));
  return (bits & 0x8000) != 0 ? -value : value;
}

float bfloat16_to_float(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

std::uint16_t double_to_half(double value) { return round_to(value, 5, 10); }
std::uint16_t double_to_bfloat16(double value) { return round_to(value, 8, 7); }
std::uint16_t float_to_half(float value) { return round_to(value, 5, 10); }
std::uint16_t float_to_bfloat16(float value) { return round_to(value, 8, 7); }

}  // namespace xcuda
