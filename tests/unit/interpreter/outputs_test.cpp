// printf and assert: what is printed, and what a condition that does not hold says.
#include "rig.hpp"

namespace xcuda::interpreter {
namespace {

using Printf = Interpreted;
using Asserts = Interpreted;

TEST_F(Printf, Formats) {
  EXPECT_EQ(shown("printf(\"%d %5.2f|%-4s|%c %x %%\\n\", 3, 2.5, \"ab\", 'z', 255);"), "3  2.50|ab  |z ff %\n");
  EXPECT_EQ(shown("int n = 3; printf(\"%d\\n\", n * n);"), "9\n");
}

TEST_F(Printf, ArgumentsAreChecked) {
  EXPECT_NE(run("printf(\"%d\");").error, "");
  EXPECT_NE(run("printf(\"%d\", 1, 2);").error, "");
  EXPECT_NE(run("printf(\"%d\", 1.5);").error, "");
  EXPECT_EQ(run("int n = 3; printf(n);").error, "TypeError: printf expects a format string");
}

TEST_F(Printf, ComesBeforeTheErrorThatFollows) {
  const auto ran = run("printf(\"first\\n\"); int n = 0; n = 1 / n;");
  EXPECT_EQ(ran.text, "first\n");
  EXPECT_EQ(ran.error, "ValueError: division by zero (int)");
}

TEST_F(Asserts, WhatHoldsSaysNothing) { EXPECT_EQ(shown("int n = 3; assert(n == 3 && n < 4);"), ""); }

TEST_F(Asserts, BothSidesOfAComparisonAreTold) {
  const auto ran = run("int n = 3; assert(n * 2 == 7);");
  EXPECT_EQ(ran.error, "AssertionError: assert(n * 2 == 7) failed");
  EXPECT_EQ(ran.notes, std::vector<std::string>{"n * 2 is 6"});
  EXPECT_EQ(ran.at, "assert(n * 2 == 7)");
}

TEST_F(Asserts, ThePartThatFailedIsToldWithItsText) {
  const auto ran = run("int a = 1, b = 2; assert(a == 1 && b == 1 && \"b is one\");");
  EXPECT_EQ(ran.notes, (std::vector<std::string>{"b is one", "b is 2"}));
  EXPECT_EQ(run("int c = 5; assert(c < 3 && \"c is small\");").notes,
            (std::vector<std::string>{"c is small", "c is 5"}));
}

TEST_F(Asserts, PartsAreEvaluatedOnce) {
  EXPECT_EQ(shown("int i = 0; assert(++i == 1 || ++i == 2); i"), "1\n");
  EXPECT_NE(run("i = 0; assert(++i == 2 || ++i == 3);").error, "");
  EXPECT_EQ(shown("i"), "2\n");
}

TEST_F(Asserts, TakeOneNumber) {
  EXPECT_EQ(run("assert();").error, "TypeError: assert takes one condition");
  EXPECT_EQ(run("assert(dim3(1));").error, "TypeError: expected a number for the condition, got a dim3");
}

TEST_F(Asserts, WaitForWhatWasLaunched) {
  kernel("set", {{"int*", "x"}},
         [](device::FakeLaunch& launch) { *reinterpret_cast<int*>(launch.argument<device::Address>(0)) = 7; });
  EXPECT_EQ(shown("__global__ void set(int* x) { *x = 7; }\nint x[1]; set<<<1, 1>>>(x); assert(x[0] == 7);"), "");
}

}  // namespace
}  // namespace xcuda::interpreter
