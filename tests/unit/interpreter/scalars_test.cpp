// Expressions of scalars by C++'s rules: their types, values and errors, as a cell's statements evaluate them.
#include <gtest/gtest.h>

#include "tests/unit/interpreter/session_fixture.hpp"

namespace xcuda::interpreter {
namespace {

using language::Kind;
using language::ScalarValue;

class Scalars : public SessionFixture {
 protected:
  static std::string text(const ScalarValue& value) { return value.type().name + " " + value.text(); }
  std::string show(std::string_view expression) { return text(number(expression)); }
  Error failure(const std::string& expression) {
    display::Bundle bundle;
    const auto error = evaluate(*session_, expression, shown_, bundle);
    if (error) return error->error;
    ADD_FAILURE() << expression << " is " << display::plain(bundle);
    return Error(ErrorKind::internal, "");
  }
  void declare(const std::string& declarations) { EXPECT_FALSE(run(declarations)); }
};

#define SAME(...) EXPECT_EQ(show(#__VA_ARGS__), text(ScalarValue::of(__VA_ARGS__)))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wbool-operation"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wlogical-op-parentheses"
#pragma GCC diagnostic ignored "-Wbitwise-op-parentheses"
#pragma GCC diagnostic ignored "-Wshift-op-parentheses"
#endif
TEST_F(Scalars, IsWhatTheCompilerSays) {
  SAME(1 + 2 * 3);
  SAME(7 / 2);
  SAME(-7 / 2);
  SAME(-7 % 3);
  SAME(7u - 8u);
  SAME(1 - 2u);
  SAME(1l - 2u);
  SAME(1.5f * 2);
  SAME(1.5f * 2.0);
  SAME(0.1f + 0.2f);
  SAME(0.1 + 0.2);
  SAME(1 / 3.0f);
  SAME('a' + 1);
  SAME(true + true);
  SAME(1 << 24);
  SAME(1ull << 40);
  SAME(-16 >> 2);
  SAME(0xF0u >> 4 | 3);
  SAME(6 & 3 ^ 1);
  SAME(~0);
  SAME(~0u);
  SAME(!5);
  SAME(!0.0);
  SAME(-'a');
  SAME(+true);
  SAME(1 < 2 == true);
  SAME(-1 < 1u);
  SAME(-1l < 1u);
  SAME(1 == 1.0);
  SAME(1 && 0 || 2);
  SAME(1 ? 2 : 3.0);
  SAME(0 ? 2u : -1);
  SAME(true ? 'a' : 'b');
  SAME((unsigned char)300);
  SAME((int)-2.7);
  SAME(float(1) / 3);
  SAME(static_cast<short>(70000));
  SAME(sizeof(double));
  SAME(sizeof(int*));
  SAME(sizeof 'a');
  SAME(sizeof(1 + 1.0));
  SAME(2147483647 + 1u);
  SAME(0x80000000 + 0);
  SAME(10'000'000'000);
  SAME(int{3});
  SAME(5 > 3 > 1);
  SAME(1e300 * 1e300);
}
#pragma GCC diagnostic pop

TEST_F(Scalars, SignedIntegersWrap) {
  EXPECT_EQ(show("2147483647 + 1"), "int -2147483648");
  EXPECT_EQ(show("-2147483647 - 2"), "int 2147483647");
  EXPECT_EQ(show("65536 * 65536"), "int 0");
  EXPECT_EQ(show("(-2147483647 - 1) / -1"), "int -2147483648");
  EXPECT_EQ(show("(-2147483647 - 1) % -1"), "int 0");
  EXPECT_EQ(show("(-9223372036854775807 - 1) / -1"), "long -9223372036854775808");
  EXPECT_EQ(show("-(-2147483647 - 1)"), "int -2147483648");
}

TEST_F(Scalars, VariablesAreReadAndChangedInTheirType) {
  declare("int n = 5; unsigned char c = 250; float f = 1.5f;");
  EXPECT_EQ(show("n * 2"), "int 10");
  EXPECT_EQ(show("n = 7.9"), "int 7");
  EXPECT_EQ(show("n += 0.6"), "int 7");
  EXPECT_EQ(show("n <<= 2"), "int 28");
  EXPECT_EQ(show("c += 10"), "unsigned char 4");
  EXPECT_EQ(show("--c"), "unsigned char 3");
  EXPECT_EQ(show("c++"), "unsigned char 3");
  EXPECT_EQ(show("c"), "unsigned char 4");
  EXPECT_EQ(show("f++"), "float 1.5");
  EXPECT_EQ(show("f *= 2"), "float 5.0");
  EXPECT_EQ(show("n = c = 300"), "int 44");
  EXPECT_EQ(show("sizeof c + sizeof(n)"), "unsigned long 5");
}

TEST_F(Scalars, OnlyWhatIsNeededIsEvaluated) {
  declare("int n = 0;");
  EXPECT_EQ(show("false && ++n > 0"), "bool false");
  EXPECT_EQ(show("true || ++n > 0"), "bool true");
  EXPECT_EQ(show("true ? 1 : ++n"), "int 1");
  EXPECT_EQ(show("n != 0 && 1 / n"), "bool false");
  EXPECT_EQ(show("sizeof(++n)"), "unsigned long 4");
  EXPECT_EQ(show("++n ? n : 0"), "int 1");
  EXPECT_EQ(show("n"), "int 1");
}

TEST_F(Scalars, SubscriptsAreEvaluatedOnce) {
  declare("int i = 1; int x[4] = {10, 20, 30, 40};");
  EXPECT_EQ(show("x[i] + x[2]"), "int 50");
  EXPECT_EQ(show("x[i++] += 5"), "int 25");
  EXPECT_EQ(show("i"), "int 2");
  EXPECT_EQ(show("x[1]"), "int 25");
  EXPECT_EQ(show("x[0]--"), "int 10");
  EXPECT_EQ(show("++x[0]"), "int 10");
  EXPECT_EQ(show("x[3] = i"), "int 2");
  EXPECT_EQ(show("sizeof(x[i++])"), "unsigned long 4");
  EXPECT_EQ(show("i"), "int 2");
  declare("float rows[2][3];");
  EXPECT_EQ(show("sizeof(rows[1])"), "unsigned long 12");
  EXPECT_EQ(show("sizeof(rows[0, 1])"), "unsigned long 4");
}

TEST_F(Scalars, Functions) {
  EXPECT_EQ(show("sqrt(2.0)"), "double 1.4142135623730951");
  EXPECT_EQ(show("sqrt(2.0f)"), "float 1.4142135");
  EXPECT_EQ(show("sqrtf(2.0)"), "float 1.4142135");
  EXPECT_EQ(show("std::sqrt(4)"), "double 2.0");
  EXPECT_EQ(show("pow(2, 10)"), "double 1024.0");
  EXPECT_EQ(show("powf(2, 0.5)"), "float 1.4142135");
  EXPECT_EQ(show("abs(-3)"), "int 3");
  EXPECT_EQ(show("abs(-3l)"), "long 3");
  EXPECT_EQ(show("abs(-2.5f)"), "float 2.5");
  EXPECT_EQ(show("abs(-2147483647 - 1)"), "int -2147483648");
  EXPECT_EQ(show("fabs(-3)"), "double 3.0");
  EXPECT_EQ(show("min(3, 5u)"), "unsigned int 3");
  EXPECT_EQ(show("max(3, 5.5)"), "double 5.5");
  EXPECT_EQ(show("max('a', 'b')"), "char 'b'");
  EXPECT_EQ(show("max<float>(3, 5)"), "float 5.0");
  EXPECT_EQ(show("clamp(7, 0, 5)"), "int 5");
  EXPECT_EQ(show("clamp(-1.0, 0, 5)"), "double 0.0");
  EXPECT_EQ(show("ceil_div(100, 32)"), "int 4");
  EXPECT_EQ(show("cuda::ceil_div(96ul, 32)"), "unsigned long 3");
  EXPECT_EQ(show("ceil_div(-7, 2)"), "int -3");
  EXPECT_EQ(show("ceil_div(7, -2)"), "int -3");
  EXPECT_EQ(show("floor(-1.5f)"), "float -2.0");
  EXPECT_EQ(show("round(2.5)"), "double 3.0");
  EXPECT_EQ(show("rint(2.5)"), "double 2.0");
  EXPECT_EQ(show("lround(2.5)"), "long 3");
  EXPECT_EQ(show("fmod(7.5, 2)"), "double 1.5");
  EXPECT_EQ(show("fma(2.0f, 3.0f, 1.0f)"), "float 7.0");
  EXPECT_EQ(show("atan2(1.0, 1.0) * 4 == M_PI"), "bool true");
  EXPECT_EQ(show("isnan(NAN)"), "bool true");
  EXPECT_EQ(show("isfinite(INFINITY)"), "bool false");
  EXPECT_EQ(show("gcd(12, 18)"), "int 6");
  EXPECT_EQ(show("ldexp(1.5, 4)"), "double 24.0");
  EXPECT_EQ(show("hypot(3, 4)"), "double 5.0");
  EXPECT_EQ(show("INT_MAX"), "int 2147483647");
  EXPECT_EQ(show("FLT_EPSILON"), "float 1.1920929e-07");
  EXPECT_EQ(show("SIZE_MAX"), "unsigned long 18446744073709551615");
}

struct Wrong {
  std::string text, message;
  ErrorKind kind;
  int column, width;
};
void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.text; }
class WrongExpression : public Scalars, public testing::WithParamInterface<Wrong> {};
TEST_P(WrongExpression, HasAPlace) {
  declare("int n = 5; const int limit = 5; bool flag = true;");
  const auto error = failure(GetParam().text);
  EXPECT_EQ(error.message, GetParam().message);
  EXPECT_EQ(error.kind, GetParam().kind);
  ASSERT_TRUE(error.place);
  EXPECT_EQ(error.place->line, 1);
  EXPECT_EQ(error.place->column, GetParam().column);
  EXPECT_EQ(error.place->width, GetParam().width);
}
INSTANTIATE_TEST_SUITE_P(
    Cell, WrongExpression,
    testing::Values(Wrong{"1 + n / 0", "division by zero (int)", ErrorKind::value, 5, 5},
                    Wrong{"n % 0ul", "division by zero (unsigned long)", ErrorKind::value, 1, 7},
                    Wrong{"n << 32", "shifting int by 32: the count must be 0 to 31", ErrorKind::value, 1, 7},
                    Wrong{"n >> -1", "shifting int by -1: the count must be 0 to 31", ErrorKind::value, 1, 7},
                    Wrong{"1ul << 64", "shifting unsigned long by 64: the count must be 0 to 63", ErrorKind::value, 1,
                          9},
                    Wrong{"5.0 % 2", "'%' is not defined for double and int", ErrorKind::type, 1, 7},
                    Wrong{"1.0 << 2", "'<<' is not defined for double and int", ErrorKind::type, 1, 8},
                    Wrong{"1.5f & 1", "'&' is not defined for float and int", ErrorKind::type, 1, 8},
                    Wrong{"~1.5", "'~' is not defined for double", ErrorKind::type, 1, 4},
                    Wrong{"2 * limt", "limt is not defined", ErrorKind::name, 5, 4},
                    Wrong{"limit = 3", "limit is const", ErrorKind::type, 1, 5},
                    Wrong{"++limit", "limit is const", ErrorKind::type, 3, 5},
                    Wrong{"flag++", "++ and -- are not defined for bool", ErrorKind::type, 1, 6},
                    Wrong{"m = 3", "m is not defined", ErrorKind::name, 1, 1},
                    Wrong{"3 = n", "3 cannot be assigned to", ErrorKind::type, 1, 1},
                    Wrong{"(n + 1) = 2", "(n + 1) cannot be assigned to", ErrorKind::type, 1, 7},
                    Wrong{"sqr(2)", "the function sqr is not defined", ErrorKind::name, 1, 3},
                    Wrong{"sqrt(1, 2)", "sqrt() takes 1 argument, not 2", ErrorKind::type, 1, 10},
                    Wrong{"fmod(1)", "fmod() takes 2 arguments, not 1", ErrorKind::type, 1, 7},
                    Wrong{"sqrt(x = 1)", "sqrt() has no argument named x", ErrorKind::type, 10, 1},
                    Wrong{"char{300}", "300 does not fit char: braces do not narrow", ErrorKind::value, 6, 3},
                    Wrong{"int{1, 2}", "int takes one number, got 2", ErrorKind::type, 1, 9},
                    Wrong{"n + \"a\"", "expected a number for the right operand, got a string", ErrorKind::type, 5, 3},
                    Wrong{"*n", "n is a number, not a pointer: * cannot be applied to it", ErrorKind::type, 1, 2},
                    Wrong{"n.x", "n has no members", ErrorKind::type, 1, 3},
                    Wrong{"{}", "a list in braces has no type here", ErrorKind::type, 1, 2},
                    Wrong{"{{1}, {2, 3}}", "the rows of the list differ in length", ErrorKind::value, 1, 13},
                    Wrong{"sizeof(Unknown)", "the type Unknown is not defined", ErrorKind::name, 7, 9}));

TEST_F(Scalars, AnUnknownNameSuggestsTheNearest) {
  declare("int count = 5;");
  EXPECT_EQ(failure("cuont + 1").advice, "Did you mean count?");
  EXPECT_EQ(failure("sqrtt(2)").advice, "Did you mean sqrt?");
}

TEST_F(Scalars, ComplexNumbers) {
  session_->names().declare("z", {ScalarValue::complex(Kind::complex64, 3, 4), false, ""});
  EXPECT_EQ(number("z * z").text(), "(-7.0+24.0j)");
  EXPECT_EQ(number("z / 2").text(), "(1.5+2.0j)");
  EXPECT_EQ(number("-z + 1.0").text(), "(-2.0-4.0j)");
  EXPECT_EQ(show("z == z"), "bool true");
  EXPECT_EQ(failure("z < z").message, "'<' is not defined for cuda::std::complex<float> and cuda::std::complex<float>");
}

}  // namespace
}  // namespace xcuda::interpreter
