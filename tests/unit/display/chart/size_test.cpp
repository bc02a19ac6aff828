// What a chart takes in a saved notebook, and what it is made of.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "base/text.hpp"
#include "display/chart/chart.hpp"
#include "tests/unit/display/samples.hpp"

namespace xcuda::display {
namespace {

// Six lines of 500 points.
template <class Value> Chart six_lines(Value value) {
  Chart chart{.title = "six lines", .x_label = "t", .y_label = "y"};
  for (int k = 0; k < 6; ++k) {
    Series series{.label = fmt::format("line {}", k)};
    for (int i = 0; i < 500; ++i) {
      series.x.push_back(i);
      series.y.push_back(value(k, i));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

// As Jupyter writes a notebook: each value of an object on a line of its own.
std::size_t size_in_a_notebook(const Bundle& bundle) {
  return bundle.data.dump(1).size() + bundle.metadata.dump(1).size();
}

TEST(ChartSize, SixLinesOf500PointsTakeAtMost60KiB) {
  EXPECT_LE(size_in_a_notebook(chart_bundle(six_lines([](int k, int i) { return std::sin(0.02 * i * (k + 1)); }))),
            45u << 10);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  EXPECT_LE(size_in_a_notebook(chart_bundle(six_lines([&](int k, int) { return 3 * k + normal(random); }))), 57u << 10);
}

TEST(ChartSize, AThousandPointsTakeAtMost40KiB) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  Chart chart{.mark = Chart::Mark::points, .x_label = "a", .y_label = "b", .series = {Series{}}};
  for (int i = 0; i < 1000; ++i) {
    chart.series[0].x.push_back(normal(random));
    chart.series[0].y.push_back(normal(random));
  }
  EXPECT_LE(size_in_a_notebook(chart_bundle(chart)), 40u << 10);
}

// An image of its own in each page that nbconvert makes: what surrounds the data is drawn in a few paths and groups.
TEST(ChartSize, TheFrameTakesAtMost2KiB) {
  Chart chart{.title = "two points", .x_label = "step", .y_label = "y", .series = {Series{.label = "y"}}};
  chart.series[0].x = {0, 1000};
  chart.series[0].y = {-1, 1};
  EXPECT_LE(chart_svg(chart).size(), 2u << 10);
}

std::vector<std::string> rows_of(const nlohmann::json& vega) {
  std::vector<std::string> rows;
  const std::string text = vega["data"]["values"];
  for (const auto line : split_lines(text)) rows.emplace_back(line);
  return rows;
}

TEST(ChartValues, LinesOverOneAxisShareItsColumn) {
  const auto vega = *chart_vega(six_lines([](int k, int i) { return i == 3 ? std::nan("") : 0.5 * k; }));
  const auto rows = rows_of(vega);
  ASSERT_EQ(rows.size(), 501u);
  EXPECT_EQ(rows[0], "x,s0,s1,s2,s3,s4,s5");
  EXPECT_EQ(rows[1], "0,0,.5,1,1.5,2,2.5");
  EXPECT_EQ(rows[4], "3,,,,,,");  // a gap
}

TEST(ChartValues, HaveTheDigitsThatTheAxisShows) {
  Chart chart;
  chart.series.push_back({.label = "", .x = {0, 1, 2}, .y = {1000.001, 1000.0015, 1000.002}});
  const auto rows = rows_of(*chart_vega(chart));
  EXPECT_EQ(rows[2], "1,1000.0015");
}

TEST(ChartValues, ErrorBarsHaveTheirOwn) {
  Chart chart;
  chart.series.push_back({.label = "", .x = {0, 1}, .y = {2, 4}, .error = {0.5, 1}});
  const auto vega = *chart_vega(chart);
  EXPECT_EQ(rows_of(vega)[2], "1,4,0,1");
  EXPECT_EQ(vega["layer"].size(), 2u);
  const auto frame = frame_of(chart);
  EXPECT_LT(frame.x.low(), 0);  // the first bar has its ends whole
  for (const char* part : {"rule", "ticks"})
    EXPECT_EQ(vega["layer"][1]["mark"][part]["color"], series_colour(0)) << part;
  EXPECT_LE(frame.y.low(), 1.5);
  EXPECT_GE(frame.y.high(), 5);
  auto bare = chart;
  bare.series[0].error.clear();
  EXPECT_GT(chart_svg(chart).size(), chart_svg(bare).size());
}

TEST(ChartWords, PointsAreNamed) {
  Chart chart{.names_points = true};
  chart.series.push_back({"roof", {1, 10}, {1, 10}});
  chart.series.push_back({"saxpy", {3}, {2}});
  const auto svg = chart_svg(chart);
  std::size_t named = 0;
  for (auto at = svg.find(">saxpy<"); at != svg.npos; at = svg.find(">saxpy<", at + 1)) ++named;
  EXPECT_EQ(named, 2u);  // in the legend, and beside the point
}

TEST(ChartWords, ALegendHasAsManyRowsAsItNeeds) {
  Chart chart;
  for (int i = 0; i < 10; ++i) chart.series.push_back({fmt::format("a name of some length, {}", i), {0, 1}, {0, 1}});
  const auto svg = chart_svg(chart);
  std::set<std::string> levels;
  for (auto at = svg.find("<text x=\""); at != svg.npos; at = svg.find("<text x=\"", at + 1)) {
    const auto end = svg.find("</text>", at);
    const std::string text = svg.substr(at, end - at);
    if (text.find("a name of some length") == text.npos) continue;
    EXPECT_LT(std::stod(text.substr(9)) + 6.4 * 24, 640) << text;
    levels.insert(text.substr(text.find("y=\""), 6));
  }
  EXPECT_EQ(levels.size(), 4u);  // three in a row
  const auto legend = (*chart_vega(chart))["encoding"]["color"]["legend"];
  EXPECT_EQ(legend["orient"], "top");
  EXPECT_EQ(legend["columns"], 3);
}

}  // namespace
}  // namespace xcuda::display
