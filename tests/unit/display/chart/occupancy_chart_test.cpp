#include "display/chart/occupancy_chart.hpp"

#include <gtest/gtest.h>

#include "tests/unit/display/small_samples.hpp"

namespace xcuda::display {
namespace {

using samples::occupancies;

TEST(Occupancy, EachLimiterIsAColour) {
  const auto chart = occupancy_chart(occupancies());
  ASSERT_EQ(chart.series.size(), 3u);
  EXPECT_EQ(chart.series[0].label, "limited by blocks");
  EXPECT_EQ(chart.series[1].label, "limited by registers");
  EXPECT_EQ(chart.series[2].label, "full");
  for (const auto& series : chart.series) EXPECT_EQ(series.x.size(), series.y.size() + 1);
  EXPECT_EQ(chart.series[1].y[2], 75);
  EXPECT_EQ(chart.series[2].y[2], 0);
}

TEST(Occupancy, TheBestSizesAreNamed) {
  const auto bundle = occupancy_bundle(occupancies());
  const auto text = plain(bundle);
  EXPECT_NE(text.find("best: 100 % with blocks of 128 to 512"), std::string::npos) << text;
  EXPECT_EQ(text.find("75 %"), std::string::npos) << text;  // 96 is not a usual size
  EXPECT_EQ(bundle.data[kOccupancyMime]["blocks"].size(), 32u);
}

}  // namespace
}  // namespace xcuda::display
