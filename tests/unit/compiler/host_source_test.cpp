#include "compiler/host/host_source.hpp"

#include <gtest/gtest.h>

namespace xcuda::compiler {
namespace {

// Without the line in front of everything.
std::string checked(const std::string& source) {
  const auto text = with_checked_shifts(source);
  return text == source ? text : text.substr(text.find('\n') + 1);
}

TEST(HostSource, ShiftsByWhatIsNotASmallLiteralAreChecked) {
  EXPECT_EQ(checked("int f(int a, int b) { return a << b; }"), "int f(int a, int b) { return a <<xcuda_shift()<< b; }");
  EXPECT_EQ(checked("x = a[i] >> b + 1;"), "x = a[i] >>xcuda_shift()>> b + 1;");
  EXPECT_EQ(checked("x >>= f(y); x <<= 2;"), "x >>=xcuda_shift()>>= f(y); x <<= 2;");
  EXPECT_EQ(checked("x = a >> b >> c;"), "x = a >>xcuda_shift()>> b >>xcuda_shift()>> c;");
  EXPECT_EQ(checked("x = 1ul << 3 * n;"), "x = 1ul <<xcuda_shift()<< 3 * n;");
  EXPECT_EQ(checked("x = 1 << 32;"), "x = 1 <<xcuda_shift()<< 32;");
}

TEST(HostSource, ShiftsOfMacrosAreChecked) {
  EXPECT_EQ(checked("#define TOP(x, n) ((x) << (n))\nint y;"), "#define TOP(x, n) ((x) <<xcuda_shift()<< (n))\nint y;");
  EXPECT_EQ(checked("  #define A \\\n  (b >> c)\nx = A;"), "  #define A \\\n  (b >>xcuda_shift()>> c)\nx = A;");
}

TEST(HostSource, OthersStayAsTheyAre) {
  for (const std::string source :
       {"x = a << 3;", "x = a >> 31u;", "A<B<int>> x;", "std::pair<int, A<B>> f(A<B<C>>* p);", "k<<<g, b>>>(x);",
        "struct S { S operator<<(int n) const; };", "#define FLAG (1 << 3)\n", "#if 1 << N\n",
        "x = \"a << b\"; // c >> d"})
    EXPECT_EQ(with_checked_shifts(source), source);
}

TEST(HostSource, FunctionsOfTheHostAreDefinedOnce) {
  const auto text = host_math_source();
  EXPECT_NE(text.find("extern \"C\" __device__ double sin(double xcuda_a) { return xcuda_host_sin(xcuda_a); }"),
            std::string::npos);
  EXPECT_NE(text.find("\n__device__ float sin(float xcuda_a) { return xcuda_host_sinf(xcuda_a); }"), std::string::npos);
  EXPECT_EQ(text.find("__device__ double sqrt("), std::string::npos);
}

TEST(HostSource, WhatIsRefusedForItIsToBeCompiledWithoutIt) {
  EXPECT_TRUE(is_refused_as_host_code(with_checked_shifts("x = a << b;"), "error"));
  EXPECT_TRUE(
      is_refused_as_host_code("float hypot(float a, float b) { return a; }",
                              "/xcuda/host(3): error: function \"hypot(float, float)\" has already been defined"));
  EXPECT_FALSE(is_refused_as_host_code("x = a;", "/xcuda/expression(1): error: identifier \"a\" is undefined"));
}

}  // namespace
}  // namespace xcuda::compiler
