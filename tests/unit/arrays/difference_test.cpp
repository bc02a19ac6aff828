#include "arrays/difference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace xcuda::arrays {
namespace {

template <class A, class B>
display::DifferenceView compared(const char* a_type, const std::vector<A>& a, const char* b_type,
                                 const std::vector<B>& b, std::vector<std::uint64_t> shape = {}) {
  if (shape.empty()) shape = {a.size()};
  Differences differences(*find_type(a_type), *find_type(b_type), shape);
  differences.add(std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
  return differences.take();
}

TEST(Differences, EqualArraysHaveNone) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto view = compared<float, float>("float", {1, 0.0f, nan, HUGE_VALF}, "float", {1, -0.0f, nan, HUGE_VALF});
  EXPECT_EQ(view.different, 0u);
  EXPECT_FALSE(view.absolute);
  EXPECT_FALSE(view.ulps);
}

TEST(Differences, EachErrorHasItsOwnPlace) {
  const auto view = compared<float, float>("float", {1000, 1, 2}, "float", {1001, 1.5f, std::nextafter(2.0f, 3.0f)});
  EXPECT_EQ(view.different, 3u);
  EXPECT_EQ(view.absolute->error, 1);
  EXPECT_EQ(view.absolute->index, 0u);
  EXPECT_EQ(view.absolute->b, "1001.0");
  EXPECT_DOUBLE_EQ(view.relative->error, 0.5 / 1.5);
  EXPECT_EQ(view.relative->index, 1u);
  EXPECT_EQ(view.ulps->index, 1u);
  EXPECT_EQ(view.ulps->error, 1 << 22);  // half of the floats from 1 to 2
}

TEST(Differences, UlpsCountOverZero) {
  const float least = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ((compared<float, float>("float", {least}, "float", {-least}).ulps->error), 2);
  EXPECT_EQ((compared<double, double>("double", {1}, "double", {std::nextafter(1.0, 2.0)}).ulps->error), 1);
}

TEST(Differences, TypesMayDiffer) {
  const auto view = compared<float, double>("float", {0.1f, 2}, "double", {0.1, 2});
  EXPECT_EQ(view.different, 1u);
  EXPECT_NEAR(view.absolute->error, 1.49e-9, 1e-11);
  EXPECT_FALSE(view.ulps);
}

TEST(Differences, IntegersOf64BitsAreExact) {
  const std::uint64_t big = std::numeric_limits<std::uint64_t>::max();
  const auto view = compared<std::uint64_t, std::uint64_t>("size_t", {big, 3}, "size_t", {big - 1, 3});
  EXPECT_EQ(view.different, 1u);
  EXPECT_EQ(view.absolute->error, 1);
  const auto mixed = compared<std::int64_t, std::uint64_t>("long", {-1}, "size_t", {big});
  EXPECT_EQ(mixed.different, 1u);
  EXPECT_DOUBLE_EQ(mixed.absolute->error, 18446744073709551616.0);
}

TEST(Differences, WhatIsNotFiniteIsCountedByItself) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto view = compared<float, float>("float", {1, nan, 5, HUGE_VALF}, "float", {1, 2, nan, -HUGE_VALF});
  EXPECT_EQ(view.different, 3u);
  EXPECT_EQ(view.not_finite, 3u);
  EXPECT_EQ(view.first_of_these->index, 1u);
  EXPECT_FALSE(view.absolute);
}

TEST(Differences, ThePiecesOfOneArrayBelongTogether) {
  const std::vector<int> a = {1, 2, 3, 4}, b = {1, 2, 3, 9};
  const auto type = *find_type("int");
  Differences differences(type, type, {2, 2});
  for (std::size_t row = 0; row < 2; ++row)
    differences.add(std::as_bytes(std::span(a).subspan(2 * row, 2)), std::as_bytes(std::span(b).subspan(2 * row, 2)));
  const auto view = differences.take();
  EXPECT_EQ(view.absolute->index, 3u);
  EXPECT_EQ(view.worst.samples, (std::vector<float>{0, 0, 0, 5}));
}

TEST(Differences, ALargeMapShowsTheGreatestErrorOfEachCell) {
  const std::uint64_t side = 2 * Differences::kMostCells;
  std::vector<float> a(side * side), b(side * side);
  b[3 * side + 5] = 0.5f;   // of the cell in row 1, column 2
  b[2 * side + 4] = 0.25f;  // the same cell
  const auto view = compared<float, float>("float", a, "float", b, {side, side});
  EXPECT_EQ(view.side, 2u);
  ASSERT_EQ(view.worst.samples.size(), Differences::kMostCells * Differences::kMostCells);
  EXPECT_EQ(view.worst.samples[1 * Differences::kMostCells + 2], 0.5f);
  EXPECT_EQ(view.worst.samples[0], 0);
}

TEST(Differences, ComplexNumbersDifferByTheirDistance) {
  const auto view = compared<float, float>("complex<float>", {3, 4}, "complex<float>", {0, 0}, {1});
  EXPECT_EQ(view.absolute->error, 5);
  EXPECT_EQ(view.relative->error, 1);
}

}  // namespace
}  // namespace xcuda::arrays
