#include "base/text.hpp"

#include <gtest/gtest.h>

#include "base/base64.hpp"
#include "base/type.hpp"
#include "base/units.hpp"

namespace xcuda {
namespace {

TEST(Text, NearestOffersOnlyLikelyTypingErrors) {
  EXPECT_EQ(nearest("lauch", {"launch", "alloc"}), "launch");
  EXPECT_EQ(nearest("xyzzy", {"launch", "alloc"}), "");
}

TEST(Base64, HasItsThreeEndings) {
  const auto of = [](std::string_view text) { return base64(std::as_bytes(std::span(text))); };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
}

TEST(Text, InvalidUtf8IsReplacedByteByByte) {
  EXPECT_EQ(valid_utf8("a\xFF"
                       "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(valid_utf8("µ\xC2"), "µ\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // a surrogate
  EXPECT_EQ(valid_utf8("\xF0\x9F\x98\x80"), "\xF0\x9F\x98\x80");
}

TEST(Text, TailOfAnIncompleteCharacter) {
  EXPECT_EQ(incomplete_utf8_tail("abc"), 0u);
  EXPECT_EQ(incomplete_utf8_tail("ab\xF0\x9F\x98"), 3u);
  EXPECT_EQ(incomplete_utf8_tail("ab\xC2\xB5"), 0u);
}

TEST(Text, CodePointsAndBytes) {
  EXPECT_EQ(bytes_of_code_points("aµb", 2), 3u);
  EXPECT_EQ(code_points_of_bytes("aµb", 3), 2u);
  EXPECT_EQ(bytes_of_code_points("ab", 9), 2u);
}

TEST(Text, LineAndColumn) {
  const auto place = line_column("ab\ncd", 4);
  EXPECT_EQ(place.line, 2);
  EXPECT_EQ(place.column, 2);
  EXPECT_EQ(line_text("ab\ncd", 2), "cd");
}

TEST(Type, SpellingsInAnyWordOrder) {
  EXPECT_EQ(find_type("long unsigned int")->name, "unsigned long");
  EXPECT_EQ(find_type("std::uint8_t")->scalar, Scalar::uint8);
  EXPECT_EQ(find_type("float4")->size, 16u);
  EXPECT_EQ(find_type("float3")->alignment, 4u);
  EXPECT_EQ(find_type("cuda::std::complex<float>")->alignment, 8u);
  EXPECT_EQ(find_type("half")->name, "__half");
  EXPECT_FALSE(find_type("Particle"));
  EXPECT_FALSE(find_type("short long"));
  EXPECT_FALSE(find_type(""));
}

TEST(Type, NumPyNames) {
  EXPECT_EQ(dtype_name(*find_type("float4")), "float32x4");
  EXPECT_EQ(dtype_name(*find_type("size_t")), "uint64");
}

TEST(Units, ThreeDigits) {
  EXPECT_EQ(format_duration(2850), "2.85 µs");
  EXPECT_EQ(format_duration(812), "812 ns");
  EXPECT_EQ(format_bytes(67108864), "64.0 MiB");
  EXPECT_EQ(format_rate(4.31e12), "4.31 TB/s");
  EXPECT_EQ(format_count(16777216), "16,777,216");
}

}  // namespace
}  // namespace xcuda
