#include "device/cpu/run/print.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace xcuda::device::cpu {
namespace {

// The argument buffer of a vprintf call.
class Packed {
 public:
  template <class... Values> explicit Packed(Values... values) {
    (add(values), ...);
    bytes_.resize(bytes_.size() + 8);  // an empty one has an address too
  }
  const std::byte* data() const { return bytes_.data(); }

 private:
  template <class T> void add(T value) {
    bytes_.resize((bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof(T));
  }
  std::vector<std::byte> bytes_;
};

template <class... Values> std::string printed(const char* format, Values... values) {
  std::string out;
  format_print(out, format, Packed(values...).data());
  return out;
}

TEST(DevicePrint, Integers) {
  EXPECT_EQ(printed("%d %i %u", -3, 7, 4000000000u), "-3 7 4000000000");
  EXPECT_EQ(printed("%x %X %o %#x", 255, 255, 8, 255), "ff FF 10 0xff");
  EXPECT_EQ(printed("%5d|%-5d|%05d|%+d|% d", 42, 42, 42, 42, 42), "   42|42   |00042|+42| 42");
  EXPECT_EQ(printed("%lld %llu %ld", std::int64_t{-1} << 40, ~std::uint64_t{0}, std::int64_t{5}),
            "-1099511627776 18446744073709551615 5");
  EXPECT_EQ(printed("%zu %d", std::uint64_t{9}, 1), "9 1");
  EXPECT_EQ(printed("%hd %hhu", 70000, 300), "4464 44");
}

TEST(DevicePrint, AlignsWideArguments) {
  EXPECT_EQ(printed("%d %f %d %lld %d", 1, 2.5, 3, std::int64_t{4}, 5), "1 2.500000 3 4 5");
}

TEST(DevicePrint, Floats) {
  EXPECT_EQ(printed("%f %.2f %8.3f %e %g %G", 1.5, 3.14159, 2.0, 12345.678, 1e-7, 1e20),
            "1.500000 3.14    2.000 1.234568e+04 1e-07 1E+20");
  EXPECT_EQ(printed("%a", 1.0), "0x1p+0");
  EXPECT_EQ(printed("%f", 0.0 / 0.0 * -1.0).substr(0, 1), "n");
}

TEST(DevicePrint, StringsCharactersPointers) {
  EXPECT_EQ(printed("[%s] [%6s] [%-6s] [%.2s] %c", "abc", "abc", "abc", "abc", 65), "[abc] [   abc] [abc   ] [ab] A");
  EXPECT_EQ(printed("%s", static_cast<const char*>(nullptr)), "(null)");
  EXPECT_EQ(printed("%p", std::uint64_t{0x200000000000}), "0x200000000000");
}

TEST(DevicePrint, Stars) {
  EXPECT_EQ(printed("%*d|%-*d|%.*f|%*.*f", 5, 42, 5, 42, 2, 3.14159, 8, 1, 2.55), "   42|42   |3.14|     2.5");
  EXPECT_EQ(printed("%*d|", -5, 42), "42   |");
  EXPECT_EQ(printed("%.*f", -1, 1.5), "1.500000");
}

TEST(DevicePrint, PercentAndUnknown) {
  EXPECT_EQ(printed("100%% %d", 1), "100% 1");
  EXPECT_EQ(printed("%y %d", 1), "%y 1");
  EXPECT_EQ(printed("end %"), "end %");
}

TEST(DevicePrint, LongTextIsWhole) {
  const std::string text(5000, 'x');
  EXPECT_EQ(printed("<%s>", text.c_str()), "<" + text + ">");
  EXPECT_EQ(printed("%500d", 1).size(), 500u);
}

TEST(DevicePrint, Answers) {
  std::string out;
  EXPECT_EQ(format_print(out, "%d %% %f", Packed(1, 2.0).data()), 2);
  EXPECT_EQ(format_print(out, "plain", Packed().data()), 0);
  EXPECT_EQ(format_print(out, nullptr, Packed().data()), -1);
}

}  // namespace
}  // namespace xcuda::device::cpu
