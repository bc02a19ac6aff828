// Statistics of times; the values of the rank test are those of SciPy 1.17, mannwhitneyu(a, b, method="asymptotic").
#include "display/times.hpp"

#include <gtest/gtest.h>

#include "tests/unit/display/samples.hpp"

namespace xcuda::display {
namespace {

using Times = std::vector<device::Nanoseconds>;

TEST(Times, MedianAndSpread) {
  EXPECT_EQ(summarise({3, 1, 2}).median, 2);
  EXPECT_EQ(summarise({1, 2}).median, 1.5);
  EXPECT_EQ(summarise({}).median, 0);
  EXPECT_EQ(summarise({10, 20, 30, 40, 50}).spread, 10.0 / 30);
  EXPECT_EQ(summarise({10, 20}).minimum, 10);
}

TEST(Times, NineOfTenLieBetweenLowAndHigh) {
  Times times;
  for (int i = 0; i <= 100; ++i) times.push_back(1000 + i);
  EXPECT_DOUBLE_EQ(summarise(times).low, 1005);
  EXPECT_DOUBLE_EQ(summarise(times).high, 1095);
}

TEST(RankTest, KnownValues) {
  EXPECT_NEAR(rank_test({1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}), 0.005074868097940, 1e-12);
  EXPECT_NEAR(rank_test({1, 2, 2, 3, 5, 8}, {2, 3, 4, 4, 6, 9, 9}), 0.19419864661113365, 1e-12);
  EXPECT_EQ(rank_test({5, 5, 5, 5, 5, 5}, {5, 5, 5, 5, 5, 5}), 1);
}

TEST(RankTest, TiesAndOutliersHaveTheirRanks) {
  EXPECT_NEAR(rank_test({12500, 12480, 12510, 12490, 12500, 12505, 90900, 12500},
                        {13400, 13350, 13410, 13400, 13390, 13420, 13400, 13380}),
              0.013041258233948902, 1e-12);
  EXPECT_NEAR(
      rank_test({100, 101, 99, 100, 102, 98, 100, 100, 101, 99}, {100, 100, 101, 99, 100, 103, 98, 99, 100, 100}),
      0.8732772290192496, 1e-12);
  EXPECT_NEAR(rank_test({5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6}, {5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6}), 0.7131514185289655,
              1e-12);
  EXPECT_NEAR(
      rank_test({1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000}, {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1001}),
      0.38157390570502137, 1e-12);
  EXPECT_NEAR(rank_test({3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9}, {2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4}),
              0.558545276235882, 1e-12);
}

TEST(RankTest, IsTheSameBothWays) {
  const Times a = {10, 30, 20, 40, 15, 80, 70}, b = {12, 33, 21, 55, 90, 100};
  EXPECT_DOUBLE_EQ(rank_test(a, b), rank_test(b, a));
}

TEST(RankTest, FewTimesProveNothing) {
  EXPECT_EQ(compare({1, 2, 3}, {100, 200, 300}), Comparison::too_few);
  EXPECT_EQ(compare({1, 2, 3, 4, 5, 6}, {101, 102, 103, 104, 105, 106}), Comparison::different);
  EXPECT_EQ(compare({1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}), Comparison::same);
}

TEST(Bench, TheFastestIsMarkedAndNoiseIsNamed) {
  const auto bundle = bench_bundle(samples::ranked_bench());
  const auto contenders = bundle.data[kBenchMime]["contenders"];
  EXPECT_EQ(contenders[0]["beside_fastest"], "same");
  EXPECT_FALSE(contenders[1].contains("beside_fastest"));
  EXPECT_EQ(contenders[2]["beside_fastest"], "different");
  const auto text = plain(bundle);
  EXPECT_NE(text.find("1.00×, no difference beyond noise"), std::string::npos) << text;
  EXPECT_NE(text.find("fastest"), std::string::npos) << text;
  EXPECT_NE(text.find("1.20×  "), std::string::npos) << text;
}

TEST(Bench, FewRunsAreSaidToBeTooFew) {
  EXPECT_NE(plain(bench_bundle(samples::bench())).find("3 runs are too few to tell a difference from noise"),
            std::string::npos);
}

}  // namespace
}  // namespace xcuda::display
