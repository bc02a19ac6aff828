// The 16-bit floating types by their bits. Conversions to them round to nearest even, overflow to infinity, keep NaN.
#pragma once

#include <cstdint>

namespace xcuda {

float half_to_float(std::uint16_t bits);
std::uint16_t float_to_half(float value);
float bfloat16_to_float(std::uint16_t bits);
std::uint16_t float_to_bfloat16(float value);
// Conversions from double in one rounding.
std::uint16_t double_to_half(double value);
std::uint16_t double_to_bfloat16(double value);

}  // namespace xcuda
