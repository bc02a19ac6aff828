#include "display/chart/timeline_chart.hpp"

#include <gtest/gtest.h>

#include "tests/unit/display/small_samples.hpp"

namespace xcuda::display {
namespace {

using samples::two_streams;

TEST(Timeline, TimesAreOfTheDeviceAndNotOfABar) {
  const auto time = busy_time(two_streams());
  EXPECT_EQ(time.total, 10000);
  EXPECT_EQ(time.busy, 9000);
  EXPECT_EQ(time.together, 2000);
}

TEST(Timeline, BarsOfOneStreamThatOverlapAreNotTwoStreams) {
  const TimelineView view{.device = "d", .streams = {"s"}, .bars = {{0, "a", 0, 5, 0}, {0, "b", 4, 10, 0}}};
  EXPECT_EQ(busy_time(view).together, 0);
  EXPECT_EQ(busy_time(view).busy, 10);
}

TEST(Timeline, TextHasARowForEachStream) {
  const auto text = plain(timeline_bundle(two_streams()));
  EXPECT_TRUE(text.starts_with("default stream │aaaaaaaaaaaaaaaaaaaaaaaaaa")) << text;
  EXPECT_NE(text.find("\ns              │                   bbbbbb"), std::string::npos) << text;
  EXPECT_NE(text.find("a: scale, b: copy to the host, c: fill"), std::string::npos) << text;
  EXPECT_NE(text.find("NVIDIA H200: 4 operations in 10.0 µs, busy for 90 %, two or more streams at once for 20 %"),
            std::string::npos)
      << text;
}

TEST(Timeline, ALongWaitBeforeTheFirstWorkIsSaid) {
  auto view = two_streams();
  view.before = 9000;  // less than the work takes
  EXPECT_EQ(plain(timeline_bundle(view)).find("after the cell began"), std::string::npos);
  view.before = 8e6;
  const auto bundle = timeline_bundle(view);
  EXPECT_NE(plain(bundle).find("time 0 is 8.00 ms after the cell began"), std::string::npos) << plain(bundle);
  EXPECT_EQ(bundle.data[kTimelineMime]["before"], 8e6);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Timeline, EqualWorkHasOneColour) {
  const std::string svg = timeline_bundle(two_streams()).data[kSvgMime];
  for (const std::size_t label : {0, 1, 2})  // in the legend, and all its bars
    EXPECT_EQ(count_of(svg, fmt::format("fill=\"{}\"", series_colour(label))), 2u);
  EXPECT_EQ(count_of(svg, ">scale<"), 1u);
  EXPECT_EQ(count_of(svg, ">s<"), 1u);
}

TEST(Timeline, FormsForProgramsHaveEveryBar) {
  auto view = two_streams();
  view.left_out = 1200;
  const auto bundle = timeline_bundle(view);
  const auto json = bundle.data[kTimelineMime];
  ASSERT_EQ(json["bars"].size(), 4u);
  EXPECT_EQ(json["bars"][1]["stream"], "s");
  EXPECT_EQ(json["bars"][1]["bytes"], 4096);
  EXPECT_EQ(json["left_out"], 1200);
  EXPECT_EQ(bundle.data[kVegaMime]["data"]["values"], "stream,label,begin,end\n0,0,0,4\n1,1,3,7\n0,0,6,8\n0,2,9,10\n");
  EXPECT_NE(plain(bundle).find("1,200 later operations are not shown"), std::string::npos);
}

}  // namespace
}  // namespace xcuda::display
