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

}  // namespace
}  // namespace xcuda
