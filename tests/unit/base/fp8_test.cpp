#include "base/fp8.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace xcuda {
namespace {

// The values of the OCP specification of 8-bit floating point, table 1 and 2.
TEST(Fp8, E4m3HasNoInfinity) {
  EXPECT_EQ(fp8_to_float(Fp8::e4m3, 0x00), 0.0f);
  EXPECT_TRUE(std::signbit(fp8_to_float(Fp8::e4m3, 0x80)));
  EXPECT_EQ(fp8_to_float(Fp8::e4m3, 0x01), 0x1p-9f);
  EXPECT_EQ(fp8_to_float(Fp8::e4m3, 0x07), 0x1.cp-7f);
  EXPECT_EQ(fp8_to_float(Fp8::e4m3, 0x08), 0x1p-6f);
  EXPECT_EQ(fp8_to_float(Fp8::e4m3, 0x38), 1.0f);
  EXPECT_EQ(fp8_to_float(Fp8::e4m3, 0xbc), -1.5f);
  EXPECT_EQ(fp8_to_float(Fp8::e4m3, 0x7e), 448.0f);
  EXPECT_TRUE(std::isnan(fp8_to_float(Fp8::e4m3, 0x7f)));
  EXPECT_TRUE(std::isnan(fp8_to_float(Fp8::e4m3, 0xff)));
}

TEST(Fp8, E5m2IsTheFirstHalfOfHalf) {
  EXPECT_EQ(fp8_to_float(Fp8::e5m2, 0x01), 0x1p-16f);
  EXPECT_EQ(fp8_to_float(Fp8::e5m2, 0x3c), 1.0f);
  EXPECT_EQ(fp8_to_float(Fp8::e5m2, 0x7b), 57344.0f);
  EXPECT_EQ(fp8_to_float(Fp8::e5m2, 0xfc), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(fp8_to_float(Fp8::e5m2, 0x7e)));
}

TEST(Fp8, TheirTypesAreNamedInCudaFp8) {
  EXPECT_EQ(fp8_of("__nv_fp8_e4m3"), Fp8::e4m3);
  EXPECT_EQ(fp8_of("__nv_fp8_e5m2"), Fp8::e5m2);
  EXPECT_FALSE(fp8_of("__nv_fp8x2_e4m3"));
}

}  // namespace
}  // namespace xcuda
