// Declarations: what a name stands for, from where to where, and what it cannot be.
#include "rig.hpp"

namespace xcuda::interpreter {
namespace {

using Declarations = Interpreted;

TEST_F(Declarations, ScalarsAreConvertedToTheirType) {
  EXPECT_EQ(shown("int n = 7 / 2; n"), "3\n");
  EXPECT_EQ(shown("float third = 1.0 / 3; third"), "0.33333334\n");
  EXPECT_EQ(shown("unsigned char small = 300; small"), "44\n");
  EXPECT_EQ(shown("bool yes = 0.5; yes"), "true\n");
  EXPECT_EQ(shown("int zero; zero"), "0\n");
  EXPECT_EQ(shown("int by_parentheses(4), by_braces{5}; by_parentheses + by_braces"), "9\n");
}

TEST_F(Declarations, BracesDoNotNarrow) {
  EXPECT_EQ(run("int n{2.5};").error, "ValueError: 2.5 does not fit int n: braces do not narrow");
  EXPECT_EQ(shown("float f{2.5}; f"), "2.5\n");
}

TEST_F(Declarations, AutoTakesTheTypeOfItsValue) {
  EXPECT_EQ(shown("auto a = 3; auto b = 3.0f; sizeof(a) + sizeof(b)"), "8\n");
  EXPECT_EQ(shown("auto wide = 3L; sizeof(wide)"), "8\n");
  EXPECT_EQ(run("auto nothing;").error, "TypeError: auto nothing needs an initial value");
}

TEST_F(Declarations, ConstIsKept) {
  shown("const int n = 3; const float x[2] = {1, 2};");
  EXPECT_EQ(run("n = 4;").error, "TypeError: n is const");
  EXPECT_EQ(run("x[0] = 4;").error, "TypeError: x is const");
  EXPECT_EQ(run("const int m;").error, "ValueError: const m needs an initial value");
  EXPECT_EQ(shown("n"), "3\n");
}

TEST_F(Declarations, ANameIsDeclaredAgainAsSomethingElse) {
  shown("int x = 3;");
  shown("float x[2] = {1, 2};");
  EXPECT_EQ(shown("x[1]"), "2.0\n");
  EXPECT_TRUE(session().names().find("x") == nullptr);
  shown("int x = 5;");
  EXPECT_EQ(shown("x"), "5\n");
  EXPECT_TRUE(session().arrays().all().empty());
}

TEST_F(Declarations, ABlockHidesAndGivesBack) {
  EXPECT_EQ(shown("int n = 1; { int n = 2; n = n + 1; printf(\"%d \", n); } n"), "3 1\n");
  EXPECT_EQ(shown("float x[2] = {1, 2}; { float x[3] = {7, 8, 9}; printf(\"%g \", x[2]); } x[1]"), "9 2.0\n");
  EXPECT_EQ(shown("{ int x = 4; printf(\"%d \", x); } x[0]"), "4 1.0\n");
  EXPECT_EQ(session().arrays().names(), std::vector<std::string>{"x"});
}

TEST_F(Declarations, WhatABlockDeclaresEndsWithIt) {
  EXPECT_EQ(run("{ int inner = 1; float y[4]; } inner").error, "NameError: inner is not defined");
  EXPECT_TRUE(session().arrays().all().empty());
  EXPECT_EQ(run("for (int i = 0; i < 2; ++i) { } i").error, "NameError: i is not defined");
}

TEST_F(Declarations, ABlockThatFailsEndsToo) {
  EXPECT_NE(run("int n = 1; { int n = 2; float x[4]; n = 1 / (n - 2); }").error, "");
  EXPECT_EQ(shown("n"), "1\n");
  EXPECT_TRUE(session().arrays().all().empty());
}

TEST_F(Declarations, ArraysHaveExtentsAndInitialValues) {
  EXPECT_EQ(shown("int n = 3; int x[n] = {1, 2}; x[0] + x[1] * 10 + x[2] * 100"), "21\n");
  EXPECT_EQ(shown("int y[] = {4, 5, 6}; sizeof(y)"), "12\n");
  EXPECT_EQ(shown("int m[2][2] = {{1, 2}, {3, 4}}; m[1][0]"), "3\n");
  EXPECT_EQ(shown("float c[3] = 0.5; c[0] + c[1] + c[2]"), "1.5\n");
  EXPECT_EQ(shown("int r[4] = arange(10, 5); r[3]"), "25\n");
  EXPECT_EQ(shown("float l[3] = linspace(0, 1); l[1]"), "0.5\n");
  EXPECT_EQ(shown("auto copy = y; y[0] = 9; copy[0]"), "4\n");
  EXPECT_EQ(shown("auto shape = like(m); shape[1][0]"), "0\n");
}

TEST_F(Declarations, ExtentsAreChecked) {
  EXPECT_EQ(run("float x[0];").error, "ValueError: an extent of x is zero");
  EXPECT_EQ(run("float x[2 - 3];").error, "ValueError: an extent of x is negative: -1");
  EXPECT_EQ(run("float x[2.5];").error, "TypeError: an extent of x is double, not an integer");
  EXPECT_EQ(run("float x[];").error, "SyntaxError: x[] has neither an extent nor a list of values");
  EXPECT_EQ(run("int x[2] = {1, 2, 3};").error, "ValueError: the list has 3 values, but the extent is 2");
  EXPECT_TRUE(session().arrays().all().empty());
}

TEST_F(Declarations, AnArrayWithABadValueLeavesTheOldOne) {
  shown("int x[2] = {1, 2};");
  EXPECT_EQ(run("int x[2] = {1, 1000000000000};").error, "ValueError: 1000000000000 does not fit int");
  EXPECT_EQ(run("int x[2] = x[5];").error, "ValueError: index 5 is out of bounds: x has 2 elements there");
  EXPECT_EQ(shown("x[1]"), "2\n");
}

TEST_F(Declarations, WhatStatementsDoNotHave) {
  EXPECT_EQ(run("{ static int n = 3; }").error,
            "NotSupportedError: static cannot be used here: what a cell declares lives until %reset");
  EXPECT_EQ(run("float* p = {a, b};").error, "TypeError: p is a pointer, but a list has several values");
  EXPECT_EQ(run("dim3 s[2];").error, "NotSupportedError: arrays of dim3 are not supported");
  EXPECT_EQ(run("auto x[3];").error, "TypeError: the element type of x is missing");
}

TEST_F(Declarations, ADim3HasThreeParts) {
  EXPECT_EQ(shown("dim3 g(2, 3); g"), "dim3{2, 3, 1}\n");
  EXPECT_EQ(shown("dim3 b{4}; dim3 c = {5, 6, 7}; b.x + c.z"), "11\n");
  EXPECT_EQ(shown("g.y = 9; g"), "dim3{2, 9, 1}\n");
  EXPECT_EQ(shown("dim3(1, 2, 3)"), "dim3{1, 2, 3}\n");
  EXPECT_EQ(shown("dim3{8}"), "dim3{8, 1, 1}\n");
  EXPECT_EQ(run("dim3 g(1, 2, 3, 4);").error, "ValueError: a dim3 has at most three extents");
  EXPECT_EQ(run("dim3 g(-1);").error, "ValueError: an extent of g is -1");
  EXPECT_EQ(run("dim3 g(-0.5 - 1);").error, "ValueError: an extent of g is -1.5");
  EXPECT_EQ(run("dim3 g(1e10);").error, "ValueError: an extent of g is 10000000000.0");
  EXPECT_EQ(run("dim3 g(NAN);").error, "ValueError: an extent of g is nan");
  EXPECT_EQ(run("g.w = 1;").error, "NameError: a dim3 has no member w");
}

TEST_F(Declarations, ParenthesesConvertAnExtentAndBracesDoNot) {
  EXPECT_EQ(shown("int n = 1000; dim3 g(ceil(n / 256.0)); g"), "dim3{4, 1, 1}\n");
  EXPECT_EQ(shown("dim3 h(ceil(n / 16.0f), 2.9, 1); h"), "dim3{63, 2, 1}\n");
  EXPECT_EQ(shown("dim3 i = n / 16.0; i"), "dim3{62, 1, 1}\n");
  EXPECT_EQ(shown("dim3(n / 16.0, 3)"), "dim3{62, 3, 1}\n");
  EXPECT_EQ(shown("(dim3)2.5"), "dim3{2, 1, 1}\n");
  EXPECT_EQ(shown("g.y = 7.9; g"), "dim3{4, 7, 1}\n");
  for (const auto* text : {"dim3 k{n / 16.0};", "dim3 k = {1, n / 16.0};", "auto k = dim3{1.5};"}) {
    const auto result = run(text);
    EXPECT_NE(result.error.find("is double, and braces do not narrow it to an integer"), std::string::npos)
        << text << result.error;
  }
}

TEST_F(Declarations, Texts) {
  EXPECT_EQ(shown("const char* s = \"two\"; printf(\"%s\\n\", s);"), "two\n");
  EXPECT_EQ(shown("getenv(\"XCUDA_NO_SUCH_VARIABLE\") ? 1 : 2"), "2\n");
  EXPECT_EQ(shown("atoi(\"42\") + atof(\"0.5\")"), "42.5\n");
}

class Structs : public Interpreted {
 protected:
  Structs() {
    type({.type = "P",
          .size = 16,
          .alignment = 4,
          .members = {{"x", "float", 0, 4}, {"n", "int", 4, 4}, {"v", "float [2]", 8, 8}}});
  }
  static constexpr std::string_view kDefinition = "struct P { float x; int n; float v[2]; };\n";
};

TEST_F(Structs, OfTheHostHaveMembers) {
  shown(std::string(kDefinition));
  EXPECT_EQ(shown("P p = {1.5, 3}; p.x + p.n"), "4.5\n");
  EXPECT_EQ(shown("p.v[1] = 8; p.n += 4; p.n * p.v[1]"), "56.0\n");
  EXPECT_EQ(shown("auto q = p; q.n = 0; p.n"), "7\n");
  EXPECT_EQ(run("p.y").error, "NameError: P has no member y");
  EXPECT_EQ(run("p.v[2]").error, "ValueError: index 2 is out of bounds: p.v has 2 elements there");
  EXPECT_EQ(run("P r = {1, 2, {3, 4}, 5};").error, "TypeError: P has 3 members, but got 4 values");
}

TEST_F(Structs, OfTheDeviceAreReadAndWrittenByMember) {
  shown(std::string(kDefinition));
  EXPECT_EQ(shown("P a[2] = {{1, 2}, {3, 4}}; a[1].x + a[1].n"), "7.0\n");
  EXPECT_EQ(shown("a[1].v[0] = 6; a[0] = a[1]; a[0].v[0]"), "6.0\n");
  EXPECT_EQ(run("a.x").error, "TypeError: a is an array; only its elements have members");
  EXPECT_EQ(shown("sizeof(P) + sizeof(a)"), "48\n");
}

TEST_F(Structs, UnknownOnesAreErrors) {
  const auto ran = run("Q q;");
  EXPECT_EQ(ran.error, "NameError: the type Q is not defined");
  EXPECT_EQ(ran.at, "Q");
}

}  // namespace
}  // namespace xcuda::interpreter
