#include "base/units.hpp"

#include <gtest/gtest.h>

namespace xcuda {
namespace {

TEST(Units, ThreeDigits) {
  EXPECT_EQ(format_duration(2850), "2.85 µs");
  EXPECT_EQ(format_duration(812), "812 ns");
  EXPECT_EQ(format_bytes(67108864), "64.0 MiB");
  EXPECT_EQ(format_rate(4.31e12), "4.31 TB/s");
  EXPECT_EQ(format_count(16777216), "16,777,216");
}

TEST(Units, ThousandsAreSeparated) {
  EXPECT_EQ(format_bytes(1023), "1,023 B");
  EXPECT_EQ(format_bytes(1023 * 1024), "1,023 KiB");
  EXPECT_EQ(format_duration(4321.4e9), "4,321 s");
  EXPECT_EQ(format_rate(12345e15), "12,345 PB/s");
  EXPECT_EQ(format_rate(1500, "FLOP"), "1.50 kFLOP/s");
  EXPECT_EQ(format_rate(0.5, "FLOP"), "0.50 FLOP/s");
}

TEST(Units, RatiosHaveThreeDigits) {
  EXPECT_EQ(format_ratio(1), "1.00");
  EXPECT_EQ(format_ratio(9.996), "10.0");
  EXPECT_EQ(format_ratio(175.901), "176");
  EXPECT_EQ(format_ratio(999.6), "1,000");
  EXPECT_EQ(format_ratio(1759.01), "1,760");
  EXPECT_EQ(format_ratio(1234567), "1,230,000");
}

}  // namespace
}  // namespace xcuda
