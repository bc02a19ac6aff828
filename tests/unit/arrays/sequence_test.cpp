#include "arrays/sequence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "share/xcuda/include/xcuda/random.cuh"

namespace xcuda::arrays {
namespace {

template <class T>
std::vector<T> fill(const Sequence& sequence, const Type& type, std::size_t n, std::uint64_t start = 0) {
  std::vector<T> values(n);
  fill_sequence(sequence, type, start, std::as_writable_bytes(std::span(values)));
  return values;
}

// Known answers of Random123, philox4x32 with 10 rounds.
TEST(Philox, KnownAnswers) {
  const auto zero = philox(0, 0);
  EXPECT_EQ(zero.word[0], 0x6627e8d5u);
  EXPECT_EQ(zero.word[1], 0xe169c58du);
  EXPECT_EQ(zero.word[2], 0xbc57ac4cu);
  EXPECT_EQ(zero.word[3], 0x9b00dbd8u);
}

TEST(Sequence, ArangeIsExactIn64Bits) {
  Sequence s{
      .kind = Sequence::Kind::arange, .integral = true, .whole_first = (std::int64_t{1} << 53) + 1, .whole_second = 2};
  const auto values = fill<std::int64_t>(s, type_of(Scalar::int64), 3);
  EXPECT_EQ(values, (std::vector<std::int64_t>{(std::int64_t{1} << 53) + 1, (std::int64_t{1} << 53) + 3,
                                               (std::int64_t{1} << 53) + 5}));
}

TEST(Sequence, LinspaceEndsExactly) {
  Sequence s{.kind = Sequence::Kind::linspace, .first = 0.1, .second = 0.7, .count = 7};
  const auto values = fill<double>(s, type_of(Scalar::float64), 7);
  EXPECT_EQ(values.front(), 0.1);
  EXPECT_EQ(values.back(), 0.7);
  EXPECT_NEAR(values[3], 0.4, 1e-15);
}

TEST(Sequence, UniformFillsItsRangeAndIsTheSameInPieces) {
  Sequence s{.kind = Sequence::Kind::uniform, .first = 2, .second = 4, .seed = 7, .count = 10000};
  const auto values = fill<float>(s, type_of(Scalar::float32), 10000);
  for (const auto v : values) ASSERT_TRUE(v >= 2 && v < 4) << v;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / 10000;
  EXPECT_NEAR(mean, 3, 0.02);
  const auto piece = fill<float>(s, type_of(Scalar::float32), 10, 4321);
  EXPECT_EQ(std::memcmp(piece.data(), values.data() + 4321, 40), 0);
}

TEST(Sequence, UniformIntegersAreHalfOpen) {
  Sequence s{.kind = Sequence::Kind::uniform, .first = -2, .second = 3, .seed = 1, .count = 1000};
  std::vector<int> seen(5, 0);
  for (const auto v : fill<int>(s, type_of(Scalar::int32), 1000)) {
    ASSERT_TRUE(v >= -2 && v < 3) << v;
    ++seen[static_cast<std::size_t>(v + 2)];
  }
  for (const auto count : seen) EXPECT_GT(count, 150);
}

TEST(Sequence, NormalHasItsMoments) {
  Sequence s{.kind = Sequence::Kind::normal, .first = 5, .second = 2, .seed = 3, .count = 100000};
  const auto values = fill<double>(s, type_of(Scalar::float64), 100000);
  double mean = 0, second = 0, fourth = 0;
  for (const auto v : values) mean += v / 1e5;
  for (const auto v : values) second += (v - mean) * (v - mean) / 1e5;
  for (const auto v : values) fourth += std::pow((v - mean) / 2, 4) / 1e5;
  EXPECT_NEAR(mean, 5, 0.03);
  EXPECT_NEAR(second, 4, 0.08);
  EXPECT_NEAR(fourth, 3, 0.15);
}

TEST(Exact, LogarithmAndSineAgreeWithTheLibrary) {
  for (unsigned long long n = 1; n < (1ull << 53); n = n * 3 + 1) {
    const double expected = std::log(static_cast<double>(n) * 0x1p-53);
    EXPECT_NEAR(exact::log_of_fraction(n), expected, 4e-16 * (1 + std::abs(expected))) << n;
  }
  EXPECT_EQ(exact::log_of_fraction(1ull << 53), 0.0);
  for (int i = 0; i < 1000; ++i) {
    const double u = i / 1000.0;
    const auto value = exact::sincos_turn(u);
    EXPECT_NEAR(value.sine, std::sin(2 * M_PI * u), 1e-15) << u;
    EXPECT_NEAR(value.cosine, std::cos(2 * M_PI * u), 1e-15) << u;
  }
}

}  // namespace
}  // namespace xcuda::arrays
