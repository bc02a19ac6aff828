// Values: operators, elements, places, casts, calls of scalars.
#include "rig.hpp"

namespace xcuda::interpreter {
namespace {

using Expressions = Interpreted;

TEST_F(Expressions, OperatorsAreThoseOfCpp) {
  EXPECT_EQ(shown("1 + 2 * 3 - 8 / 4 % 3"), "5\n");
  EXPECT_EQ(shown("(1 << 4 | 3) ^ 1"), "18\n");
  EXPECT_EQ(shown("-7 / 2"), "-3\n");
  EXPECT_EQ(shown("(!0 && ~0 == -1)"), "true\n");
  EXPECT_EQ(shown("true ? 1 : 2.0"), "1.0\n");
  EXPECT_EQ(shown("int steps = 0; sizeof(++steps) + steps"), "4\n");
  EXPECT_EQ(shown("float line[4]; sizeof(line[0] = 2) + sizeof(true ? line[1] : 1.0)"), "12\n");
  EXPECT_EQ(shown("0.1f + 0.2"), "0.30000000149011613\n");
  EXPECT_EQ(run("int n = 0; 1 / n").error, "ValueError: division by zero (int)");
}

TEST_F(Expressions, TheRightOperandIsEvaluatedOnlyWhenItCounts) {
  EXPECT_EQ(shown("int n = 0; n != 0 && 1 / n > 0"), "false\n");
  EXPECT_EQ(shown("n == 0 || 1 / n > 0"), "true\n");
  EXPECT_EQ(shown("n == 0 ? 5 : 1 / n"), "5\n");
}

TEST_F(Expressions, StepsGiveTheValueBeforeOrAfter) {
  EXPECT_EQ(shown("int i = 3; int a = i++; int b = ++i; a * 10 + b"), "35\n");
  EXPECT_EQ(shown("int x[2] = {5, 6}; int before = x[0]--; before * 10 + x[0]"), "54\n");
  EXPECT_EQ(run("x++;").error, "TypeError: ++ needs a number, but x is an array");
  EXPECT_EQ(run("bool t = true; t++;").error, "TypeError: ++ and -- are not defined for bool");
}

TEST_F(Expressions, Elements) {
  shown("int x[4] = {1, 2, 3, 4}; int m[2][3] = {{1, 2, 3}, {4, 5, 6}};");
  EXPECT_EQ(shown("x[1] = 20; x[1] += 2; x[1] * x[2]"), "66\n");
  EXPECT_EQ(shown("m[1][2] = 7; m[1, 0] + m[1][2]"), "11\n");
  EXPECT_EQ(shown("x[1:4:2][1]"), "4\n");
  EXPECT_EQ(shown("m[0:2, 1][1]"), "5\n");
  EXPECT_EQ(shown("*x + *m[1]"), "5\n");
  EXPECT_EQ(shown("int i = 0; x[i++] = 9; x[0] * 10 + i"), "91\n");
  EXPECT_EQ(shown("x[3] = 2.9; x[3]"), "2\n");
}

TEST_F(Expressions, SubscriptsAreChecked) {
  shown("int x[4] = {1, 2, 3, 4};");
  const auto over = run("x[2 + 2]");
  EXPECT_EQ(over.error, "ValueError: index 4 is out of bounds: x has 4 elements there");
  EXPECT_EQ(over.at, "2 + 2");
  const auto negative = run("int back = -1; x[back] = 0;");
  EXPECT_EQ(negative.error, "ValueError: index -1 is out of bounds: x has 4 elements there");
  EXPECT_EQ(negative.advice, "A computed index counts from the front: the last element is [3].");
  EXPECT_EQ(run("x[-5]").error, "ValueError: index -5 is out of bounds: x has 4 elements there");
  EXPECT_EQ(run("x[1.5]").error, "TypeError: a subscript is double, not an integer");
  EXPECT_EQ(run("x[0][0]").error, "TypeError: x[0] is an int and has no elements");
  EXPECT_EQ(run("x[3:1]").error, "ValueError: the slice 3:1 goes backward but its step is 1");
  EXPECT_EQ(run("x[0:4:0]").error, "ValueError: the step of a slice is 0: it must be another integer");
  EXPECT_EQ(run("x[..., ...]").error, "ValueError: only one ... fits into the subscripts");
  EXPECT_EQ(run("int n = 3; n[0]").error, "TypeError: n is an int and has no elements");
}

TEST_F(Expressions, ConstantsCountFromTheEnd) {
  shown("int x[4] = {1, 2, 3, 4}, m[2][3] = {{1, 2, 3}, {4, 5, 6}}; const int last = -1;");
  EXPECT_EQ(shown("x[-1] * 10 + x[-4]"), "41\n");
  EXPECT_EQ(shown("x[last] * 10 + x[last - 1]"), "43\n");
  EXPECT_EQ(shown("x[1:-1][1] * 10 + x[::-1][1]"), "33\n");
  EXPECT_EQ(shown("x[-3:][0] * 10 + x[3:0:-2][1]"), "22\n");
  EXPECT_EQ(shown("m[..., 1][1] * 10 + m[-1, -1]"), "56\n");
  EXPECT_EQ(shown("x[:, newaxis][2, 0] * 10 + m[newaxis][0, 1, 0]"), "34\n");
  EXPECT_EQ(shown("x[-1] = 7; x[3]"), "7\n");
}

TEST_F(Expressions, AttributesOfArrays) {
  shown("int x[4] = {1, 2, 3, 4}, m[2][3] = {{1, 2, 3}, {4, 5, 6}};");
  EXPECT_EQ(shown("m.size * 100 + m.ndim * 10 + m.shape[1]"), "623\n");
  EXPECT_EQ(shown("m.shape[-2] * 10 + m.T[2, 1]"), "26\n");
  EXPECT_EQ(shown("float y[m.shape[1]]; y.size"), "3\n");
  EXPECT_EQ(shown("x.reshape(2, -1).T[1, 0]"), "2\n");
  EXPECT_EQ(run("m.shape[2]").error, "ValueError: index 2 is out of bounds: m.shape has 2 elements there");
}

TEST_F(Expressions, WholeArraysAndSlicesAreFilledAndCopied) {
  shown("int x[4] = {1, 2, 3, 4}; int y[4];");
  EXPECT_EQ(shown("y = x; y[3]"), "4\n");
  EXPECT_EQ(shown("y = 7; y[0] + y[3]"), "14\n");
  EXPECT_EQ(shown("y[1:3] = 1; y[0] * 1000 + y[1] * 100 + y[2] * 10 + y[3]"), "7117\n");
  EXPECT_EQ(shown("y[0:2] = x[2:4]; y[0] * 10 + y[1]"), "34\n");
  EXPECT_EQ(shown("y = {9, 8}; y[0] * 10 + y[2]"), "90\n");
  EXPECT_EQ(shown("y = arange(5, 2); y[3]"), "11\n");
  EXPECT_EQ(shown("swap(x, y); x[0] * 10 + y[0]"), "51\n");
}

TEST_F(Expressions, CastsSeeTheSameBytes) {
  EXPECT_EQ(shown("(int)3.9 + int(2.1) + static_cast<int>(1.5)"), "6\n");
  EXPECT_EQ(shown("float x[1] = 1; ((unsigned*)x)[0]"), "1065353216\n");
  EXPECT_EQ(shown("((unsigned char*)x)[3]"), "63\n");
  EXPECT_EQ(run("(float*)3").error, "TypeError: 3 is not an array");
}

TEST_F(Expressions, ScalarFunctions) {
  EXPECT_EQ(shown("max(3, min(7, 5)) + abs(-2)"), "7\n");
  EXPECT_EQ(shown("std::sqrt(16.0f)"), "4.0\n");
  EXPECT_EQ(shown("int n = 3; pow(2.0, n)"), "8.0\n");
  EXPECT_EQ(shown("std::numeric_limits<int>::max()"), "2147483647\n");
}

TEST_F(Expressions, UnknownNamesSayWhatWasMeant) {
  shown("int total = 3;");
  const auto ran = run("totel + 1");
  EXPECT_EQ(ran.error, "NameError: totel is not defined");
  EXPECT_EQ(ran.advice, "Did you mean total?");
  EXPECT_EQ(ran.at, "totel");
  EXPECT_EQ(run("prinft(\"x\")").advice, "Did you mean printf?");
}

TEST_F(Expressions, ConstantsOfDeviceCodeAreSeen) {
  shown("#define TILE 16\n#define AREA (TILE * TILE)\nconstexpr int kRows = 4;\nenum Colour { red, green = 5 };");
  EXPECT_EQ(shown("AREA + kRows + green"), "265\n");
  EXPECT_EQ(run("kRows = 5;").error, "TypeError: kRows is const");
  EXPECT_EQ(shown("#define AREA 3"), "");
  EXPECT_EQ(shown("AREA"), "3\n");
}

TEST_F(Expressions, MacrosWithParametersAreExpanded) {
  shown("#define SQUARE(x) ((x) * (x))\n#define TWICE(x) (SQUARE(x) + SQUARE(x))");
  EXPECT_EQ(shown("int n = 3; TWICE(n + 1)"), "32\n");
  EXPECT_EQ(shown("int sum = 0; for (int i = 0; i < 3; ++i) sum += SQUARE(i); sum"), "5\n");
  EXPECT_EQ(run("SQUARE(1, 2)").error, "TypeError: the macro SQUARE takes 1 argument, but 2 are given");
}

TEST_F(Expressions, AMacroFollowsTheVariablesItNames) {
  shown("int n = 2;\n#define TWO_N (2 * n)");
  EXPECT_EQ(shown("int a = TWO_N; n = 10; a * 100 + TWO_N"), "420\n");
}

TEST_F(Expressions, SizeOf) {
  EXPECT_EQ(shown("sizeof(double) + sizeof(float4)"), "24\n");
  EXPECT_EQ(shown("float x[3][2]; sizeof(x) + sizeof(x[0])"), "32\n");
}

TEST_F(Expressions, Swap) {
  EXPECT_EQ(shown("int a = 1, b = 2; swap(a, b); a * 10 + b"), "21\n");
  EXPECT_EQ(run("int x[2]; float y[2]; swap(x, y);").error, "TypeError: x and y differ: int x[2], float y[2]");
  EXPECT_EQ(run("swap(a, 3);").error, "TypeError: 3 cannot be assigned to");
}

TEST_F(Expressions, WhatIsNotCalled) {
  EXPECT_EQ(run("undefined_function(3)").error, "NameError: the function undefined_function is not defined");
  EXPECT_EQ(run("int x[2]; x.foo()").error, "TypeError: x.foo is not a function");
  EXPECT_EQ(run("like(3)").error, "TypeError: like() can only initialise an array");
}

}  // namespace
}  // namespace xcuda::interpreter
