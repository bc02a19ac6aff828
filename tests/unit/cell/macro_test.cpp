#include "cell/macro.hpp"

#include <gtest/gtest.h>

#include "cell/parse.hpp"

namespace xcuda::cell {
namespace {

std::optional<Macro> find(std::string_view name) {
  if (name == "SQUARE") return Macro{{"x"}, "((x) * (x))"};
  if (name == "LARGER") return Macro{{"a", "b"}, "((a) > (b) ? (a) : (b))"};
  if (name == "NONE") return Macro{{}, "7"};
  if (name == "REST") return Macro{{"f", "..."}, "f(__VA_ARGS__)"};
  if (name == "TEXT") return Macro{{"x"}, "#x"};
  if (name == "JOINED") return Macro{{"a", "b"}, "a ## _ ## b"};
  if (name == "SAY") return Macro{{"f", "..."}, "printf(f, ##__VA_ARGS__)"};
  if (name == "ALL") return Macro{{"..."}, "g(#__VA_ARGS__)"};
  if (name == "SELF") return Macro{{"x"}, "SELF(x + 1)"};
  if (name == "PING") return Macro{{"x"}, "PONG(x)"};
  if (name == "PONG") return Macro{{"x"}, "PING(x)"};
  return std::nullopt;
}

std::string expanded(std::string_view text) { return expand_macros(text, find); }

TEST(Macro, TakesItsArgumentsAsTheyStand) {
  EXPECT_EQ(expanded("SQUARE(a + 1)"), "((a + 1) * (a + 1))");
  EXPECT_EQ(expanded("2 * SQUARE(SQUARE(3))"), "2 * ((((3) * (3))) * (((3) * (3))))");
  EXPECT_EQ(expanded("LARGER(f(a, b), c[1, 2])"), "((f(a, b)) > (c[1, 2]) ? (f(a, b)) : (c[1, 2]))");
  EXPECT_EQ(expanded("NONE() + NONE ()"), "7 + 7");
  EXPECT_EQ(expanded("REST(g, 1, 2)"), "g(1, 2)");
  EXPECT_EQ(expanded("x + SQUARE"), "x + SQUARE");  // no call
}

TEST(Macro, MakesTextsAndNamesOfItsArgumentsAsTheyAreWritten) {
  EXPECT_EQ(expanded("TEXT(a  +  NONE())"), "\"a + NONE()\"");
  EXPECT_EQ(expanded(R"x(TEXT(f("x\n", '\'')) + TEXT())x"), R"x("f(\"x\\n\", '\\'')" + "")x");
  EXPECT_EQ(expanded("JOINED(one, two) = JOINED(NONE, 2)"), "one_two = NONE_2");
  EXPECT_EQ(expanded("SAY(\"x\"); SAY(\"%d\", NONE())"), "printf(\"x\"); printf(\"%d\",7)");
  EXPECT_EQ(expanded("ALL(1, b c)"), "g(\"1, b c\")");
}

TEST(Macro, OfAWrongNumberOfArgumentsStays) {
  EXPECT_EQ(expanded("SQUARE(1, 2)"), "SQUARE(1, 2)");
  EXPECT_EQ(expanded("SQUARE(1"), "SQUARE(1");
  EXPECT_EQ(expanded("NONE(1)"), "NONE(1)");
}

TEST(Macro, IsNotExpandedInsideOfItself) {
  EXPECT_EQ(expanded("SELF(1)"), "SELF(1 + 1)");
  EXPECT_EQ(expanded("PING(1)"), "PING(1)");
}

TEST(Macro, ItsTreeStandsWhereItWasCalled) {
  auto tree = try_parse_expression("f(a[1:2], {b, -c}) ? sizeof(int) : (float)d.e");
  ASSERT_NE(tree, nullptr);
  place_at(*tree, {3, 9});
  const auto& ternary = std::get<Ternary>(tree->node);
  const Span here{3, 9};
  EXPECT_EQ(ternary.yes->span, here);
  const auto& call = std::get<Call>(ternary.condition->node);
  EXPECT_EQ(std::get<Index>(call.arguments[0].value->node).subscripts[0].stop->span, here);
  EXPECT_EQ(std::get<List>(call.arguments[1].value->node).elements[1]->span, here);
  EXPECT_EQ(std::get<Member>(std::get<Cast>(ternary.no->node).operand->node).base->span, here);
}

}  // namespace
}  // namespace xcuda::cell
