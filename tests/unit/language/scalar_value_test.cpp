#include "language/scalar_value.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace xcuda::language {
namespace {

TEST(ScalarValue, KindsAndTypes) {
  for (int i = 0; i <= static_cast<int>(Kind::complex128); ++i) {
    const auto kind = static_cast<Kind>(i);
    ASSERT_TRUE(kind_of(type_of(kind)));
    EXPECT_EQ(*kind_of(type_of(kind)), kind) << type_of(kind).name;
  }
  EXPECT_FALSE(kind_of(*find_type("float4")));
  EXPECT_EQ(ScalarValue::of(1ull).type().name, "unsigned long long");
  EXPECT_EQ(ScalarValue::of(std::size_t{1}).type().name, "unsigned long");
  EXPECT_EQ(ScalarValue::of('a').type().name, "char");
  EXPECT_EQ(ScalarValue::of(1.0f).type().name, "float");
}

TEST(ScalarValue, BytesAndBack) {
  std::array<std::byte, 16> bytes{};
  for (const auto& value : {ScalarValue::of(-3), ScalarValue::of(3'000'000'000u), ScalarValue::of(-1l),
                            ScalarValue::of(true), ScalarValue::of('x'), ScalarValue::of(1.5f), ScalarValue::of(-0.1),
                            ScalarValue::real(Kind::float16, 0.1), ScalarValue::real(Kind::bfloat16, 0.1),
                            ScalarValue::complex(Kind::complex64, 1, -2), ScalarValue::integer(Kind::int16, 0xFFFF)}) {
    value.store(bytes);
    EXPECT_EQ(ScalarValue::load(value.type(), bytes).text(), value.text());
  }
  const float pi = 3.14f;
  std::memcpy(bytes.data(), &pi, 4);
  EXPECT_EQ(ScalarValue::load(*find_type("float"), bytes).text(), "3.14");
}

TEST(ScalarValue, TextIsAsNumPyShowsIt) {
  EXPECT_EQ(ScalarValue::of(3).text(), "3");
  EXPECT_EQ(ScalarValue::of(-3l).text(), "-3");
  EXPECT_EQ(ScalarValue::of(~0ull).text(), "18446744073709551615");
  EXPECT_EQ(ScalarValue::of(true).text(), "true");
  EXPECT_EQ(ScalarValue::of(0.1f).text(), "0.1");
  EXPECT_EQ(ScalarValue::of(1.0).text(), "1.0");
  EXPECT_EQ(ScalarValue::of(1e20).text(), "1e+20");
  EXPECT_EQ(ScalarValue::of(0.1).text(), "0.1");
  EXPECT_EQ(ScalarValue::of(1.0 / 3).text(), "0.3333333333333333");
  EXPECT_EQ(ScalarValue::of(INFINITY).text(), "inf");
  EXPECT_EQ(ScalarValue::of(-INFINITY).text(), "-inf");
  EXPECT_EQ(ScalarValue::of(NAN).text(), "nan");
  EXPECT_EQ(ScalarValue::of('a').text(), "'a'");
  EXPECT_EQ(ScalarValue::of('\n').text(), "'\\n'");
  EXPECT_EQ(ScalarValue::integer(Kind::int8, 97).text(), "97");
  EXPECT_EQ(ScalarValue::real(Kind::float16, 0.1).text(), "0.1");
  EXPECT_EQ(ScalarValue::real(Kind::float16, 65504).text(), "65500.0");
  EXPECT_EQ(ScalarValue::real(Kind::bfloat16, 3.14159).text(), "3.14");
  EXPECT_EQ(ScalarValue::complex(Kind::complex64, 1, -2).text(), "(1.0-2.0j)");
}

TEST(Convert, IntegersWrap) {
  EXPECT_EQ(convert(ScalarValue::of(300), Kind::uint8).text(), "44");
  EXPECT_EQ(convert(ScalarValue::of(200), Kind::int8).text(), "-56");
  EXPECT_EQ(convert(ScalarValue::of(-1), Kind::uint32).text(), "4294967295");
  EXPECT_EQ(convert(ScalarValue::of(-1), Kind::ulong64).text(), "18446744073709551615");
  EXPECT_EQ(convert(ScalarValue::of(1ll << 40), Kind::int32).text(), "0");
  EXPECT_EQ(convert(ScalarValue::of(2), Kind::boolean).text(), "true");
}

TEST(Convert, RealsTruncateRoundAndSaturate) {
  EXPECT_EQ(convert(ScalarValue::of(2.9), Kind::int32).text(), "2");
  EXPECT_EQ(convert(ScalarValue::of(-2.9), Kind::int32).text(), "-2");
  EXPECT_EQ(convert(ScalarValue::of(3e10), Kind::int32).text(), "2147483647");
  EXPECT_EQ(convert(ScalarValue::of(-3e10), Kind::int32).text(), "-2147483648");
  EXPECT_EQ(convert(ScalarValue::of(-1.0), Kind::uint32).text(), "0");
  EXPECT_EQ(convert(ScalarValue::of(1e30), Kind::ulong64).text(), "18446744073709551615");
  EXPECT_EQ(convert(ScalarValue::of(NAN), Kind::int32).text(), "0");
  EXPECT_EQ(convert(ScalarValue::of(0.1), Kind::float32).text(), "0.1");
  EXPECT_EQ(convert(ScalarValue::of(16777217), Kind::float32).text(), "16777216.0");
  EXPECT_EQ(convert(ScalarValue::of(1e40), Kind::float32).text(), "inf");
  EXPECT_EQ(convert(ScalarValue::of(0.5), Kind::boolean).text(), "true");
}

TEST(Convert, NarrowingThatLosesTheValueIsFound) {
  EXPECT_TRUE(converts_exactly(ScalarValue::of(100), Kind::int8));
  EXPECT_FALSE(converts_exactly(ScalarValue::of(200), Kind::int8));
  EXPECT_FALSE(converts_exactly(ScalarValue::of(-1), Kind::uint32));
  EXPECT_FALSE(converts_exactly(ScalarValue::of(-1), Kind::ulong64));
  EXPECT_FALSE(converts_exactly(ScalarValue::of(~0ull), Kind::llong64));
  EXPECT_TRUE(converts_exactly(ScalarValue::of(2.0), Kind::int32));
  EXPECT_FALSE(converts_exactly(ScalarValue::of(2.5), Kind::int32));
  EXPECT_FALSE(converts_exactly(ScalarValue::of(3e10), Kind::int32));
  EXPECT_FALSE(converts_exactly(ScalarValue::of(std::ldexp(1.0, 63)), Kind::llong64));
  EXPECT_TRUE(converts_exactly(ScalarValue::of(-std::ldexp(1.0, 63)), Kind::llong64));
  EXPECT_FALSE(converts_exactly(ScalarValue::of(16777217), Kind::float32));
  EXPECT_TRUE(converts_exactly(ScalarValue::of(16777216), Kind::float32));
  EXPECT_FALSE(converts_exactly(ScalarValue::of(std::numeric_limits<std::int64_t>::max()), Kind::float64));
  EXPECT_FALSE(converts_exactly(ScalarValue::of(std::numeric_limits<std::uint64_t>::max()), Kind::float64));
  EXPECT_TRUE(converts_exactly(ScalarValue::of(std::numeric_limits<std::int64_t>::min()), Kind::float64));
  EXPECT_FALSE(converts_exactly(ScalarValue::of(0.1), Kind::float32));
  EXPECT_TRUE(converts_exactly(ScalarValue::of(0.5), Kind::float16));
  EXPECT_FALSE(converts_exactly(ScalarValue::of(70000), Kind::float16));
  EXPECT_TRUE(converts_exactly(ScalarValue::of(NAN), Kind::float64));
  EXPECT_FALSE(converts_exactly(ScalarValue::of(2), Kind::boolean));
  EXPECT_FALSE(converts_exactly(ScalarValue::of(1), *find_type("float4")));
}

TEST(CommonKind, IsThatOfTheCompiler) {
  const auto check = [](auto a, auto b) {
    EXPECT_EQ(common_kind(kind_for<decltype(a)>(), kind_for<decltype(b)>()), kind_for<decltype(a + b)>())
        << ScalarValue::of(a).type().name << " " << ScalarValue::of(b).type().name;
  };
  const auto with_all = [&](auto a) {
    check(a, true), check(a, 'a'), check(a, static_cast<signed char>(1)), check(a, static_cast<unsigned char>(1)),
        check(a, static_cast<short>(1)), check(a, static_cast<unsigned short>(1)), check(a, 1), check(a, 1u),
        check(a, 1l), check(a, 1ul), check(a, 1ll), check(a, 1ull), check(a, 1.f), check(a, 1.);
  };
  with_all(true), with_all('a'), with_all(static_cast<signed char>(1)), with_all(static_cast<unsigned char>(1)),
      with_all(static_cast<short>(1)), with_all(static_cast<unsigned short>(1)), with_all(1), with_all(1u),
      with_all(1l), with_all(1ul), with_all(1ll), with_all(1ull), with_all(1.f), with_all(1.);
  EXPECT_EQ(common_kind(Kind::float16, Kind::int32), Kind::float16);
  EXPECT_EQ(common_kind(Kind::float16, Kind::bfloat16), Kind::float32);
  EXPECT_EQ(common_kind(Kind::complex64, Kind::float64), Kind::complex128);
  EXPECT_EQ(common_type(*find_type("int"), *find_type("unsigned")).name, "unsigned int");
}

}  // namespace
}  // namespace xcuda::language
