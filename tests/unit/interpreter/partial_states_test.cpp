#include "interpreter/devices/partial_states.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace xcuda::interpreter {
namespace {

using language::ScalarValue;

std::vector<std::byte> bytes_of(const auto&... values) {
  std::vector<std::byte> bytes;
  const auto add = [&](const auto& value) {
    const auto piece = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  };
  (add(values), ...);
  return bytes;
}

// A part of 10 elements of 30 in a row.
PartialStates::Part tenth(std::uint64_t first) { return {1, first, 10, 30}; }

PartialStates states_of(std::string_view reducer, const char* element, const char* result, std::uint64_t bytes) {
  return PartialStates::of(reducer, {*find_type(element), *find_type(result), bytes}).value();
}

TEST(PartialStates, SumsOfFloatsAreRoundedOnce) {
  auto sum = states_of("xcuda::Sum<xcuda_Own>", "float", "float", 8);
  sum.add(bytes_of(16777216.0), tenth(0));
  sum.add(bytes_of(1.0), tenth(10));
  sum.add(bytes_of(1.0), tenth(20));
  EXPECT_EQ(sum.result(30).as_real(), 16777218.0);
  EXPECT_EQ(sum.result(30).type().name, "float");
}

TEST(PartialStates, WhatDoublesRoundAwayIsKept) {
  auto sum = states_of("xcuda::Sum<xcuda_Own>", "double", "double", 16);
  sum.add(bytes_of(1e16, 1.0), tenth(0));
  sum.add(bytes_of(1.0, 0.0), tenth(10));
  sum.add(bytes_of(-1e16, 0.0), tenth(20));
  EXPECT_EQ(sum.result(30).as_real(), 2);
  auto infinite = states_of("xcuda::Sum<xcuda_Own>", "double", "double", 16);
  infinite.add(bytes_of(HUGE_VAL, std::nan("")), tenth(0));
  infinite.add(bytes_of(1.0, 0.0), tenth(10));
  EXPECT_EQ(infinite.result(20).as_real(), HUGE_VAL);
  auto mean = states_of("xcuda::Mean<xcuda_Own>", "int", "double", 16);
  mean.add(bytes_of(5.0, 0.0), tenth(0));
  mean.add(bytes_of(10.0, 0.0), tenth(10));
  EXPECT_EQ(mean.result(20).as_real(), 0.75);
}

TEST(PartialStates, IntegersWrap) {
  auto product = states_of("xcuda::Prod<xcuda_Own>", "int", "long", 8);
  product.add(bytes_of(std::numeric_limits<std::int64_t>::max()), tenth(0));
  product.add(bytes_of(std::int64_t{2}), tenth(10));
  EXPECT_EQ(product.result(20).as_signed(), -2);
  auto all = states_of("xcuda::All<xcuda_Own>", "float", "bool", 8);
  all.add(bytes_of(std::uint64_t{10}), tenth(0));
  all.add(bytes_of(std::uint64_t{9}), tenth(10));
  EXPECT_FALSE(all.result(20).truth());
  EXPECT_TRUE(all.result(19).truth());
}

TEST(PartialStates, ComplexNumbers) {
  auto product = states_of("xcuda::Prod<xcuda_Own>", "complex<float>", "complex<float>", 16);
  product.add(bytes_of(1.0, 2.0), tenth(0));
  product.add(bytes_of(3.0, -1.0), tenth(10));
  EXPECT_EQ(product.result(20).as_real(), 5);
  EXPECT_EQ(product.result(20).imaginary(), 5);
  auto infinite = states_of("xcuda::Prod<xcuda_Own>", "complex<float>", "complex<float>", 16);
  infinite.add(bytes_of(HUGE_VAL, std::nan("")), tenth(0));
  infinite.add(bytes_of(1.0, 1.0), tenth(10));
  EXPECT_TRUE(std::isinf(infinite.result(20).as_real()));
  auto mean = states_of("xcuda::Mean<xcuda_Own>", "complex<float>", "complex<double>", 32);
  mean.add(bytes_of(1.0, 0.0, 2.0, 0.0), tenth(0));
  mean.add(bytes_of(3.0, 0.0, -8.0, 0.0), tenth(10));
  EXPECT_EQ(mean.result(20).as_real(), 0.2);
  EXPECT_EQ(mean.result(20).imaginary(), -0.3);
}

std::vector<std::byte> extreme(float value, std::uint64_t index) { return bytes_of(value, std::uint32_t{0}, index); }

TEST(PartialStates, TheFirstOfEqualExtremesIsFound) {
  // Of 4 rows of 6 columns, split into columns 0 to 2 and 3 to 5.
  const PartialStates::Part left{1, 0, 3, 6}, right{1, 3, 3, 6};
  auto place = states_of("xcuda::ArgMax<xcuda_Own>", "float", "unsigned long", 16);
  place.add(extreme(7, 5), left);   // row 1, column 2
  place.add(extreme(7, 2), right);  // row 0, column 5
  EXPECT_EQ(place.result(24).as_unsigned(), 5u);
  auto later = states_of("xcuda::ArgMax<xcuda_Own>", "float", "unsigned long", 16);
  later.add(extreme(7, 5), left);
  later.add(extreme(7, 5), right);  // row 1, column 5
  EXPECT_EQ(later.result(24).as_unsigned(), 8u);
}

TEST(PartialStates, NotANumberIsLessAndGreaterThanAllElse) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto* reducer : {"xcuda::Min<xcuda_Own>", "xcuda::Max<xcuda_Own>"}) {
    auto value = states_of(reducer, "float", "float", 16);
    value.add(extreme(1, 0), tenth(0));
    value.add(extreme(nan, 3), tenth(10));
    value.add(extreme(2, 0), tenth(20));
    EXPECT_TRUE(std::isnan(value.result(30).as_real())) << reducer;
  }
  auto least = states_of("xcuda::Min<xcuda_Own>", "float", "float", 16);
  least.add(extreme(0, ~std::uint64_t{0}), tenth(0));  // of no elements
  least.add(extreme(2, 1), tenth(10));
  EXPECT_EQ(least.result(20).as_real(), 2);
}

TEST(PartialStates, WhatOnlyTheDeviceCanPutTogether) {
  EXPECT_FALSE(PartialStates::knows("xcuda::Folded<int, xcuda_Function>"));
  const auto form = [](const char* element, const char* result, std::uint64_t bytes) {
    return PartialStates::Form{*find_type(element), *find_type(result), bytes};
  };
  EXPECT_FALSE(PartialStates::of("xcuda::Min<xcuda_Own>", form("complex<float>", "complex<float>", 16)));
  EXPECT_FALSE(PartialStates::of("xcuda::Sum<xcuda_Own>", form("float", "float", 4)));
  EXPECT_FALSE(PartialStates::of("xcuda::Sum<xcuda_Own>", {Type(), Type(), 8}));
}

}  // namespace
}  // namespace xcuda::interpreter
