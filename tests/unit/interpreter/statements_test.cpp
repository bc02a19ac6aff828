// Flow of control, conditions, and what ends a loop.
#include <fmt/format.h>

#include "rig.hpp"

namespace xcuda::interpreter {
namespace {

using Statements = Interpreted;

TEST_F(Statements, Loops) {
  EXPECT_EQ(shown("int sum = 0; for (int i = 0; i < 5; ++i) sum += i; sum"), "10\n");
  EXPECT_EQ(shown("int n = 100; while (n > 3) n /= 2; n"), "3\n");
  EXPECT_EQ(shown("int rounds = 0; do ++rounds; while (rounds < 3); rounds"), "3\n");
  EXPECT_EQ(shown("int once = 0; do { ++once; } while (false); once"), "1\n");
  EXPECT_EQ(shown("int never = 0; while (false) ++never; never"), "0\n");
}

TEST_F(Statements, BreakAndContinueConcernTheInnermostLoop) {
  EXPECT_EQ(
      shown("for (int i = 0; i < 3; ++i) { for (int j = 0; ; ++j) { if (j == i) break; printf(\"%d%d \", i, j); } }"),
      "10 20 21 ");
  EXPECT_EQ(shown("for (int i = 0; i < 6; ++i) { if (i % 2) continue; printf(\"%d\", i); }"), "024");
  EXPECT_EQ(shown("int i = 0; while (true) { ++i; if (i < 4) continue; break; } i"), "4\n");
  EXPECT_EQ(shown("int k = 0; do { ++k; if (k == 2) continue; } while (k < 5); k"), "5\n");
}

TEST_F(Statements, ContinueRunsTheStep) {
  EXPECT_EQ(shown("int steps = 0; for (int i = 0; i < 3; ++i, ++steps) continue; steps"), "3\n");
}

TEST_F(Statements, IfTakesOneSide) {
  EXPECT_EQ(shown("if (2 > 1) printf(\"a\"); else printf(\"b\");"), "a");
  EXPECT_EQ(shown("if (0.0) printf(\"a\"); else if (1) printf(\"b\"); else printf(\"c\");"), "b");
}

TEST_F(Statements, ABodyIsAScopeOfItsOwn) {
  EXPECT_EQ(shown("int x = 1; for (int i = 0; i < 2; ++i) { int x = 10 * i; x += 1; printf(\"%d \", x); } x"),
            "1 11 1\n");
}

TEST_F(Statements, ConditionsAreNumbers) {
  shown("float x[2] = {1, 2};");
  const auto ran = run("while (x) break;");
  EXPECT_EQ(ran.error, "TypeError: expected a number for a condition, got an array of float");
  EXPECT_EQ(ran.at, "x");
  EXPECT_EQ(shown("if (x[0] == 1) printf(\"yes\");"), "yes");
}

TEST_F(Statements, OnlyTheLastOneIsShown) {
  EXPECT_EQ(shown("1; 2; 3"), "3\n");
  EXPECT_EQ(shown("1; 2; 3;"), "");
  EXPECT_EQ(shown("int n = 3; n = 4"), "4\n");
}

TEST_F(Statements, WhatACellHasNot) {
  EXPECT_EQ(run("return 1;").error, "NotSupportedError: a cell returns nothing");
  EXPECT_EQ(shown("printf(\"a\"); return 0; printf(\"b\");"), "a");
}

TEST_F(Statements, LoopsOverElementsAndLists) {
  EXPECT_EQ(shown("float x[3] = {1, 2, 4}; float t = 0; for (auto v : x) t += v; t"), "7.0\n");
  EXPECT_EQ(shown("for (auto& v : x) v *= 2; x[2]"), "8.0\n");
  EXPECT_EQ(shown("int p = 1; for (int i : {2, 3}) p *= i; p"), "6\n");
  EXPECT_EQ(
      shown("int m[2][2] = {{1, 2}, {3, 4}}; p = 0; for (auto& row : m) { if (row[0] == 3) break; p += row[1]; } p"),
      "2\n");
  EXPECT_EQ(run("for (auto v : 3.0) ;").error, "TypeError: expected an array or a list to loop over, got a double");
}

TEST_F(Statements, SwitchesGoToTheirLabel) {
  const auto chosen = [&](std::string_view value) {
    return shown(
        fmt::format("{{ int r = 0; switch ({}) {{ case 1: r += 1; case 2: r += 2; break; default: r = 9; "
                    "case 'a': r += 10; }} printf(\"%d\", r); }}",
                    value));
  };
  EXPECT_EQ(chosen("1"), "3");
  EXPECT_EQ(chosen("2"), "2");
  EXPECT_EQ(chosen("3"), "19");
  EXPECT_EQ(chosen("97"), "10");
  EXPECT_EQ(chosen("'a'"), "10");
  EXPECT_EQ(run("switch (1) { case 1.5: ; }").error.substr(0, 10), "TypeError:");
}

TEST_F(Statements, ReferencesNameVariablesAndElements) {
  EXPECT_EQ(shown("int n = 1; int& r = n; r = 5; n"), "5\n");
  EXPECT_EQ(shown("n = 6; r"), "6\n");
  EXPECT_EQ(shown("float y[3] = {1, 2, 3}; float& e = y[1]; e += 5; y[1]"), "7.0\n");
  EXPECT_EQ(shown("{ int& inner = r; ++inner; } n"), "7\n");
  EXPECT_EQ(run("int& n2;").error,
            "TypeError: n2 is a reference: it needs the variable or the element that it refers to");
}

TEST_F(Statements, CommandsRunWhereTheyAre) {
  EXPECT_EQ(shown("printf(\"a\\n\");\n%first one\nprintf(\"b\\n\");\n!second\nprintf?"),
            "a\n%first\nb\n!second\nprintf?\n");
}

TEST_F(Statements, AnInterruptEndsALoopAndTheCell) {
  int calls = 0;
  printed = [&](std::string_view) {
    if (++calls == 3) session().interrupt_flag().raise();
  };
  const auto ran = run("int i = 0; while (true) { printf(\"%d\", i); ++i; }");
  EXPECT_EQ(ran.error, "KeyboardInterrupt: interrupted");
  EXPECT_EQ(ran.text, "012");
  EXPECT_EQ(shown("i"), "2\n");  // the statement after the interrupt did not run
}

TEST_F(Statements, AnInterruptEndsAnEmptyLoop) {
  printed = [&](std::string_view) { session().interrupt_flag().raise(); };
  EXPECT_EQ(run("printf(\"x\"); for (;;) ;").error, "KeyboardInterrupt: interrupted");
  printed = {};
  EXPECT_EQ(shown("1 + 1"), "2\n");
}

TEST_F(Statements, ManyTurnsHaveTheRightSum) {
  EXPECT_EQ(shown("long sum = 0; for (int i = 0; i < 100000; ++i) { if (i % 3 == 0) continue; sum += i; } sum"),
            "3333266667\n");
}

}  // namespace
}  // namespace xcuda::interpreter
