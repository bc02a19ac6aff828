#include "display/chart/difference_chart.hpp"

#include <gtest/gtest.h>

namespace xcuda::display {
namespace {

DifferenceView difference(std::vector<std::uint64_t> shape) {
  DifferenceView view{.a = "a", .b = "b", .a_dtype = "float32", .b_dtype = "float32", .shape = std::move(shape)};
  view.elements = 16;
  view.different = 1;
  view.absolute = WorstElement{0.5, 5, "1.0", "1.5"};
  const auto columns = static_cast<std::uint32_t>(view.shape.back());
  view.worst = {columns, static_cast<std::uint32_t>(16 / columns), 1, std::vector<float>(16)};
  view.worst.samples[5] = 0.5F;
  return view;
}

TEST(Differences, AreAMapOrALine) {
  EXPECT_EQ(difference_chart(difference({4, 4}))->mark, Chart::Mark::cells);
  const auto line = difference_chart(difference({16}));
  EXPECT_EQ(line->mark, Chart::Mark::line);
  EXPECT_EQ(line->series[0].y[5], 0.5);
  auto equal = difference({4, 4});
  equal.absolute.reset();
  EXPECT_FALSE(difference_chart(equal));
}

TEST(Differences, SayWhereTheGreatestErrorIs) {
  const auto bundle = difference_bundle(difference({4, 4}));
  EXPECT_NE(plain(bundle).find("absolute error  0.5  [1, 1]  1.0  1.5"), std::string::npos) << plain(bundle);
  EXPECT_NE(plain(bundle).find("1 of 16 elements differs"), std::string::npos) << plain(bundle);
  EXPECT_EQ(bundle.data[kDifferenceMime]["absolute"]["index"], 5);
}

}  // namespace
}  // namespace xcuda::display
