#include "cell/conditional.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cell/parse.hpp"

namespace xcuda::cell {
namespace {

bool condition(std::string_view text) {
  static const Macros kMacros = {{"A", "3"}, {"B", "(A * 2)"}, {"EMPTY", ""}, {"SELF", "SELF"}};
  return holds("if", text, kMacros);
}

TEST(Conditional, HasTheOperatorsOfThePreprocessor) {
  for (const auto* text : {"1", "A", "A == 3", "B >= 6 && B <= 6", "defined(A) && !defined(C)", "defined A", "C == 0",
                           "A ? 1 : 0", "-A < 0", "(A + 1) * 2 == 8", "~0 == -1", "A % 2", "0x10 > 15", "A || 1 / C",
                           "__CUDACC__", "CUDART_VERSION >= 12000", "A & 1 | 4", "1 << 4 == 16", "-8 >> 1 == -4"})
    EXPECT_TRUE(condition(text)) << text;
  for (const auto* text : {"0", "C", "EMPTY", "SELF", "A != 3", "defined(C) || 0", "_WIN32", "!A", "B > 6",
                           "__has_include(<x.h>)", "7 / 0", ""})
    EXPECT_FALSE(condition(text)) << text;
}

TEST(Conditional, WhatNobodyWouldWriteEnds) {
  EXPECT_TRUE(condition("(-9223372036854775807 - 1) / -1 < 0"));
  EXPECT_FALSE(condition("(-9223372036854775807 - 1) % -1"));
  EXPECT_TRUE(condition("9223372036854775807 + 1 < 0 && -(-9223372036854775807 - 1) < 0"));
  EXPECT_FALSE(condition("1 << 1000"));
  for (const auto* part : {"(", "!", "1 ? 0 : ", "1 ? ", "-", "defined("}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += part;
    EXPECT_FALSE(condition(text + "0")) << part;
  }
  Macros doubled = {{"M0", "1"}};
  for (int i = 1; i < 100; ++i) doubled[fmt::format("M{}", i)] = fmt::format("M{0} + M{0}", i - 1);
  holds("if", "M99", doubled);  // comes back
}

TEST(Conditional, NamesThatAreDefined) {
  const Macros macros = {{"A", ""}};
  EXPECT_TRUE(holds("ifdef", "A", macros));
  EXPECT_TRUE(holds("ifndef", "B", macros));
  EXPECT_FALSE(holds("elifdef", "B // not here", macros));
  EXPECT_TRUE(holds("elifndef", "B", macros));
}

// Device code stays NVRTC's, and what has statements is read by its branch.
TEST(Conditional, TheBranchThatCountsIsRead) {
  const auto cell =
      parse_cell("int a = 1;\n#if 0\nint b = it's;\n#elif 1\nint c = 2;\nint d = 3;\n#else\nint e;\n#endif\n", "In[1]");
  EXPECT_EQ(cell.statements.size(), 3u);
  EXPECT_TRUE(cell.device.empty());
  const auto device = parse_cell("#ifdef A\n__device__ int a;\n#else\n__device__ int b;\n#endif\nint c = 2;", "In[1]");
  EXPECT_EQ(device.statements.size(), 1u);
  EXPECT_EQ(device.device.size(), 3u);
  const auto both = parse_cell("#ifndef A\n#define N 3\n%lsmagic\nint a = N;\n#endif", "In[1]");
  EXPECT_EQ(both.statements.size(), 2u);
  EXPECT_EQ(both.device.size(), 1u);
}

TEST(Conditional, OneThatIsOpenGoesOn) {
  const auto parsed = try_parse_cell("#if 1\nint a = 1;\n", "In[1]");
  ASSERT_TRUE(parsed.error.has_value());
  EXPECT_TRUE(parsed.incomplete);
  EXPECT_EQ(try_parse_cell("{\n#else\n}", "In[1]").error->message, "#else without an #if");
}

}  // namespace
}  // namespace xcuda::cell
