#include <gtest/gtest.h>

#include "cell/parse.hpp"

namespace xcuda::cell {
namespace {

std::string replaced(std::string_view text) { return with_replacements(text, "In[1]", nullptr, {}); }

std::string after(const std::string& definitions, std::string_view statements) {
  return replaced(definitions + std::string(statements)).substr(definitions.size());
}

TEST(Replacements, ReplaceMacrosThatAreNoExpressions) {
  const std::string macros =
      "#define FOR(i, n) for (int i = 0; i < (n); ++i)\n#define real float\n#define SWAP(T, a, b) { T t = a; a = b; b "
      "= t; }\n";
  EXPECT_EQ(after(macros, "FOR(k, 3) f(k);"), "for (int k = 0; k < (3); ++k) f(k);");
  EXPECT_EQ(after(macros, "real x = 1;"), "float x = 1;");
  EXPECT_EQ(after(macros, "SWAP(int, x, y) g();"), "{ int t = x; x = y; y = t; } g();");
  EXPECT_EQ(after(macros, "void f(int n) { FOR(i,\nn) g(); }"),
            "void f(int n) { for (int i = 0; i < (n); ++i)\n g(); }");
}

TEST(Replacements, LeaveTheOthers) {
  for (const char* text : {"SQUARE(3) + N;", "CHECK(f());", "if (N) CHECK(f()); else CHECK(g());", "SELF(3) x;",
                           "__global__ void k() { N; }"}) {
    const std::string macros =
        "#define SQUARE(x) ((x) * (x))\n#define N 3\n#define CHECK(x) do { x; } while (0)\n#define SELF(x) SELF(x)\n";
    EXPECT_EQ(after(macros, text), text);
  }
}

TEST(Replacements, AnEndlessReplacementLeavesTheText) {
  const std::string macros = "#define A B\n#define B A\n";
  EXPECT_EQ(after(macros, "A;"), "A;");
}

TEST(Replacements, AMacroMeansItsNewestDefinition) {
  EXPECT_EQ(replaced("#define F(x) (x)\nF(1);\n#undef F\n#define F(x) (-x)\nF(2);"),
            "#define F(x) (x)\n(1);\n#undef F\n#define F(x) (-x)\n(-2);");
}

TEST(Replacements, MoveTypesOutOfBlocks) {
  EXPECT_EQ(replaced("{ struct P { int x; }; P p; }"), "struct P { int x; }; {  P p; }");
  EXPECT_EQ(replaced("{ struct P {\n int x; } p; }"), "struct P { int x; }; { P\n p; }");
  EXPECT_EQ(replaced("for (;;) { typedef float T; T x; }"), "typedef float T; for (;;) {  T x; }");
  EXPECT_EQ(replaced("void f() { struct P { int x; }; cudaFree(0); }"),
            "struct P { int x; }; void f() {  cudaFree(0); }");
  for (const char* text : {"void f() { struct P { int x; }; g(); }", "struct P { int x; };", "{ struct P p; }"})
    EXPECT_EQ(replaced(text), text);
}

}  // namespace
}  // namespace xcuda::cell
