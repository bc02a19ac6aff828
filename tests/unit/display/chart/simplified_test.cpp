#include "display/chart/simplified.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace xcuda::display {
namespace {

using Kind = Path::Step::Kind;

TEST(Simplified, PointsOfALineGo) {
  Path path;
  path.move(0, 0);
  for (int i = 1; i <= 100; ++i) path.line(i, 2.0 * i);
  const auto fewer = simplified(path, 0.1);
  ASSERT_EQ(fewer.steps().size(), 2u);
  EXPECT_EQ(fewer.steps().back().x, 100);
  EXPECT_EQ(fewer.steps().back().y, 200);
}

TEST(Simplified, CornersPeaksAndWhatComesBackStay) {
  Path path;
  path.move(0, 0);
  path.line(10, 0);
  path.line(10.1, 50);  // a peak of one point
  path.line(10.2, 0);
  path.line(20, 0);
  path.line(5, 0);  // back over the line itself
  const auto fewer = simplified(path, 0.25);
  std::vector<double> x;
  for (const auto& step : fewer.steps()) x.push_back(step.x);
  EXPECT_EQ(x, (std::vector<double>{0, 10, 10.1, 10.2, 20, 5}));
}

TEST(Simplified, GapsDotsAndBarsStay) {
  Path path;
  path.move(0, 0);
  path.line(1, 0);
  path.line(2, 0);
  path.dot(3, 0);
  path.move(4, 0);
  path.line(5, 0);
  path.line(6, 0);
  path.bar(7, 0, 8, 1);
  const auto fewer = simplified(path, 1);
  std::vector<Kind> kinds;
  for (const auto& step : fewer.steps()) kinds.push_back(step.kind);
  EXPECT_EQ(kinds, (std::vector<Kind>{Kind::move, Kind::line, Kind::dot, Kind::move, Kind::line, Kind::bar}));
  EXPECT_TRUE(simplified(Path(), 1).steps().empty());
}

TEST(Simplified, NoPointOfACurveIsFartherAwayThanTheTolerance) {
  Path path;
  const auto height = [](double x) { return 150 * std::sin(x / 40); };
  path.move(0, height(0));
  for (int i = 1; i <= 560; ++i) path.line(i, height(i));
  const auto fewer = simplified(path, 0.25);
  EXPECT_LT(fewer.steps().size(), 120u);
  std::size_t at = 0;
  for (const auto& step : path.steps()) {
    while (fewer.steps()[at + 1].x < step.x) ++at;
    const auto &from = fewer.steps()[at], &to = fewer.steps()[at + 1];
    const double dx = to.x - from.x, dy = to.y - from.y;
    EXPECT_LE(std::abs(dx * (step.y - from.y) - dy * (step.x - from.x)) / std::hypot(dx, dy), 0.25 + 1e-9);
  }
}

}  // namespace
}  // namespace xcuda::display
