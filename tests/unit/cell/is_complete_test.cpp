#include "cell/is_complete.hpp"
#include "tests/unit/cell/sample_grammar.hpp"

#include <gtest/gtest.h>

namespace xcuda::cell {
namespace {

using Status = Completeness::Status;
Completeness completeness(std::string_view text) { return is_complete(text, sample_grammar); }
Status status(std::string_view text) { return completeness(text).status; }

TEST(IsComplete, WhatCanRun) {
  for (const auto* text :
       {"", "x", "1 + 1", "int n = 1;", "%lsmagic", "!ls 'it", "x?", "__global__ void f(float* x) { x[0] = 1; }",
        "if (a) b;", "for (int i = 0; i < 3; ++i) { f(i); }", "#define N 3", "struct P { int x; };",
        "saxpy<<<1, 2>>>(x)", "int main() { }", "try { f(); } catch (...) { }", "throw 3;",
        "try { } catch (int k) { } catch (const std::exception& e) { }"})
    EXPECT_EQ(status(text), Status::complete) << text;
}

TEST(IsComplete, WhatGoesOn) {
  for (const auto* text : {"__global__ void f(float* x) {",
                           "__global__ void f(float* x)",
                           "int n = (1 +",
                           "int n = 1",
                           "for (int i = 0; i < 3; ++i) {",
                           "for (int i = 0; i < 3; ++i)",
                           "/* a comment",
                           "x[",
                           "saxpy<<<1, 2",
                           "saxpy<<<1, 2>>>",
                           "R\"(abc",
                           "struct P { int x; }",
                           "#if A\n#define B",
                           "namespace a {",
                           "template <class T",
                           "do x;",
                           "if (a)",
                           "f(1,",
                           "try {",
                           "try { f(); }",
                           "try { f(); } catch",
                           "try { f(); } catch (int k)",
                           "try { f(); } catch (int k) {"})
    EXPECT_EQ(status(text), Status::incomplete) << text;
}

TEST(IsComplete, WhatNoLineCanMend) {
  for (const auto* text : {"int n = 1);", "}", "\"abc", "1 y", "int 3;", "x[1:2:3:4]", "%free 'x", "f(a b", "#endif"})
    EXPECT_EQ(status(text), Status::invalid) << text;
}

TEST(IsComplete, TheNextLineIsIndented) {
  EXPECT_EQ(completeness("for (;;) {").indent, "    ");
  EXPECT_EQ(completeness("for (;;) {\n    if (a) {").indent, "        ");
  EXPECT_EQ(completeness("for (;;) {\n    if (a) {\n    }").indent, "    ");
  EXPECT_EQ(completeness("f(g(1,").indent, "    ");
  EXPECT_EQ(completeness("int n = 1").indent, "");
  EXPECT_EQ(completeness("%%kernel\n__global__ void f() {").indent, "    ");
}

TEST(IsComplete, ACellOfAMagicEndsWithAnEmptyLine) {
  EXPECT_EQ(status("%%launch"), Status::incomplete);
  EXPECT_EQ(status("%%launch\nk<<<1, 1>>>(x);"), Status::incomplete);
  EXPECT_EQ(status("%%launch\nk<<<1, 1>>>(x);\n"), Status::incomplete);
  EXPECT_EQ(status("%%launch\nk<<<1, 1>>>(x);\n\n"), Status::complete);
  EXPECT_EQ(status("%%launch\nk<<<1, 1>>>(x\n\n"), Status::incomplete);
}

}  // namespace
}  // namespace xcuda::cell
