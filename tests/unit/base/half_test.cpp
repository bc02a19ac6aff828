#include "base/half.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace xcuda {
namespace {

TEST(Half, EveryValueSurvivesAndRoundingIsToEven) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    EXPECT_TRUE(std::isnan(half_to_float(half)) || float_to_half(half_to_float(half)) == half) << bits;
    EXPECT_TRUE(std::isnan(bfloat16_to_float(half)) || float_to_bfloat16(bfloat16_to_float(half)) == half) << bits;
  }
  EXPECT_EQ(float_to_half(1.0f), 0x3C00);
  EXPECT_EQ(float_to_half(65504.0f), 0x7BFF);
  EXPECT_EQ(float_to_half(65519.0f), 0x7BFF);
  EXPECT_EQ(float_to_half(65520.0f), 0x7C00);                 // the tie goes to infinity
  EXPECT_EQ(float_to_half(2049.0f), float_to_half(2048.0f));  // ties to even
  EXPECT_EQ(float_to_half(2051.0f), float_to_half(2052.0f));
  EXPECT_EQ(float_to_half(5.9604645e-8f), 0x0001);
  EXPECT_EQ(float_to_half(2.9802322e-8f), 0x0000);
  EXPECT_EQ(float_to_half(-0.0f), 0x8000);
  EXPECT_TRUE(std::isnan(half_to_float(float_to_half(NAN))));
  EXPECT_EQ(double_to_half(1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40)), 0x3C01);  // in one rounding
}

}  // namespace
}  // namespace xcuda
