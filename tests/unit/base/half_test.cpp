#include "base/half.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace xcuda {
namespace {

struct Format {
  int exponent_bits, fraction_bits;
  float (*value)(std::uint16_t);
  std::uint16_t (*from_float)(float);
  std::uint16_t (*from_double)(double);
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  unsigned infinity() const { return ((1u << exponent_bits) - 1) << fraction_bits; }
  // What IEEE 754 says that bits without a sign mean; past infinity as if the exponents went on.
  double defined(unsigned bits) const {
    const int exponent = static_cast<int>(bits >> fraction_bits), fraction = bits & ((1 << fraction_bits) - 1);
    return exponent == 0 ? std::ldexp(fraction, 1 - bias() - fraction_bits)
                         : std::ldexp((1 << fraction_bits) + fraction, exponent - bias() - fraction_bits);
  }
};

class Half : public testing::TestWithParam<Format> {};

INSTANTIATE_TEST_SUITE_P(Formats, Half,
                         testing::Values(Format{5, 10, half_to_float, float_to_half, double_to_half},
                                         Format{8, 7, bfloat16_to_float, float_to_bfloat16, double_to_bfloat16}),
                         [](const auto& info) { return info.param.exponent_bits == 5 ? "half" : "bfloat16"; });

TEST_P(Half, EveryValueIsWhatItsBitsMean) {
  const auto& format = GetParam();
  for (unsigned bits = 0; bits < 0x8000; ++bits) {
    const auto positive = static_cast<std::uint16_t>(bits), negative = static_cast<std::uint16_t>(bits | 0x8000);
    const float value = format.value(positive);
    ASSERT_TRUE(std::signbit(format.value(negative)) && !std::signbit(value)) << bits;
    if (bits > format.infinity()) {
      ASSERT_TRUE(std::isnan(value) && std::isnan(format.value(negative))) << bits;
      continue;
    }
    ASSERT_EQ(value, bits == format.infinity() ? INFINITY : format.defined(bits)) << bits;
    ASSERT_EQ(format.value(negative), -value) << bits;
    ASSERT_EQ(format.from_float(value), positive);
    ASSERT_EQ(format.from_float(-value), negative);
    ASSERT_EQ(format.from_double(value), positive);
    ASSERT_EQ(format.from_double(-value), negative);
  }
}

// Between each two neighbours, infinity among them: the middle goes to the even one, all else to the nearer one.
TEST_P(Half, RoundsOnceToTheNearestAndToEven) {
  const auto& format = GetParam();
  for (unsigned bits = 0; bits < format.infinity(); ++bits) {
    const auto below = static_cast<std::uint16_t>(bits), above = static_cast<std::uint16_t>(bits + 1);
    const double middle = (format.defined(bits) + format.defined(bits + 1)) / 2;
    const auto even = bits % 2 == 0 ? below : above;
    for (const double sign : {1.0, -1.0}) {
      const auto with_sign = [&](unsigned magnitude) { return sign < 0 ? magnitude | 0x8000 : magnitude; };
      ASSERT_EQ(format.from_double(sign * middle), with_sign(even)) << bits;
      ASSERT_EQ(format.from_double(sign * std::nextafter(middle, 0.0)), with_sign(below)) << bits;
      ASSERT_EQ(format.from_double(sign * std::nextafter(middle, HUGE_VAL)), with_sign(above)) << bits;
      const auto single = static_cast<float>(sign * middle);
      ASSERT_EQ(format.from_float(single), with_sign(even)) << bits;  // the middle is a float, even of subnormals
      ASSERT_EQ(format.from_float(std::nextafter(single, 0.0f)), with_sign(below)) << bits;
      ASSERT_EQ(format.from_float(std::nextafter(single, static_cast<float>(sign * HUGE_VAL))), with_sign(above));
    }
  }
}

TEST_P(Half, WhatHasNoPlaceIsZeroInfinityOrNoNumber) {
  const auto& format = GetParam();
  const auto infinity = static_cast<std::uint16_t>(format.infinity());
  using Limits = std::numeric_limits<double>;
  for (const double large : {Limits::max(), Limits::infinity(), 2 * format.defined(infinity)}) {
    EXPECT_EQ(format.from_double(large), infinity);
    EXPECT_EQ(format.from_double(-large), infinity | 0x8000);
  }
  for (const double small : {0.0, Limits::denorm_min(), Limits::min(), format.defined(1) / 2}) {
    EXPECT_EQ(format.from_double(small), 0);
    EXPECT_EQ(format.from_double(-small), 0x8000);
  }
  EXPECT_EQ(format.from_float(NAN), infinity | 1 << (format.fraction_bits - 1));  // quiet
  EXPECT_EQ(format.from_double(-Limits::quiet_NaN()), 0x8000 | infinity | 1 << (format.fraction_bits - 1));
}

}  // namespace
}  // namespace xcuda
