#include <gtest/gtest.h>

#include "cell/parse.hpp"

namespace xcuda::cell {
namespace {

TEST(ParseExpression, TakesOneExpressionAndNothingElse) {
  EXPECT_TRUE(try_parse_expression("16"));
  EXPECT_TRUE(try_parse_expression("(N + 1) * 2"));
  EXPECT_TRUE(try_parse_expression("{1, 2}"));
  EXPECT_FALSE(try_parse_expression(""));
  EXPECT_FALSE(try_parse_expression("int x"));
  EXPECT_FALSE(try_parse_expression("1; 2"));
  EXPECT_FALSE(try_parse_expression("__attribute__((x)) y"));
  EXPECT_FALSE(try_parse_expression(std::string_view("1\0", 2)));
  EXPECT_THROW(parse_expression("1 +", "N"), Error);
}

}  // namespace
}  // namespace xcuda::cell
