#include "cell/evaluate.hpp"

#include <gtest/gtest.h>

#include <map>

#include "cell/parse.hpp"

namespace xcuda::cell {
namespace {

// Scalars by name and one array of ints, x.
class TestScope : public Scope {
 public:
  ScalarVariable* find(std::string_view name) override {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : &found->second;
  }
  std::optional<Value> other(const Expression& expression) override {
    if (const auto* index = std::get_if<Index>(&expression.node)) {
      ++subscripts;
      return Value::of(elements[evaluate(*index->subscripts[0].start, *this, {"", ""}).as_unsigned()]);
    }
    return std::nullopt;
  }
  std::optional<Change> change(const Expression& target, const std::function<Value(const Value&)>& change) override {
    const auto* index = std::get_if<Index>(&target.node);
    if (!index) return std::nullopt;
    ++subscripts;
    auto& element = elements[evaluate(*index->subscripts[0].start, *this, {"", ""}).as_unsigned()];
    const auto before = Value::of(element);
    element = static_cast<int>(convert(change(before), Kind::int32).as_signed());
    return Change{before, Value::of(element)};
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (const auto& [name, variable] : variables) all.push_back(name);
    return all;
  }

  std::map<std::string, ScalarVariable, std::less<>> variables;
  int elements[4] = {10, 20, 30, 40};
  int subscripts = 0;
};

struct Fixture : testing::Test {
  Value run(std::string_view text) {
    const auto expression = parse_expression(text, "In[1]");
    return evaluate(*expression, scope, {text, "In[1]"});
  }
  std::string show(std::string_view text) {
    const auto value = run(text);
    return value.type().name + " " + value.text();
  }
  Error failure(std::string_view text) {
    try {
      const auto value = run(text);
      ADD_FAILURE() << text << " is " << value.text();
    } catch (const Error& error) {
      return error;
    }
    return Error(ErrorKind::internal, "");
  }
  TestScope scope;
};
using Evaluate = Fixture;

#define SAME(...) \
  EXPECT_EQ(show(#__VA_ARGS__), Value::of(__VA_ARGS__).type().name + " " + Value::of(__VA_ARGS__).text())

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wbool-operation"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wlogical-op-parentheses"
#pragma GCC diagnostic ignored "-Wbitwise-op-parentheses"
#pragma GCC diagnostic ignored "-Wshift-op-parentheses"
#endif
TEST_F(Evaluate, IsWhatTheCompilerSays) {
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

TEST_F(Evaluate, SignedIntegersWrap) {
  EXPECT_EQ(show("2147483647 + 1"), "int -2147483648");
  EXPECT_EQ(show("-2147483647 - 2"), "int 2147483647");
  EXPECT_EQ(show("65536 * 65536"), "int 0");
  EXPECT_EQ(show("(-2147483647 - 1) / -1"), "int -2147483648");
  EXPECT_EQ(show("(-2147483647 - 1) % -1"), "int 0");
  EXPECT_EQ(show("(-9223372036854775807 - 1) / -1"), "long -9223372036854775808");
  EXPECT_EQ(show("-(-2147483647 - 1)"), "int -2147483648");
}

TEST_F(Evaluate, VariablesAreReadAndChangedInTheirType) {
  scope.variables["n"] = {Value::of(5), false};
  scope.variables["c"] = {Value::integer(Kind::uint8, 250), false};
  scope.variables["f"] = {Value::of(1.5f), false};
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

TEST_F(Evaluate, OnlyWhatIsNeededIsEvaluated) {
  scope.variables["n"] = {Value::of(0), false};
  EXPECT_EQ(show("false && ++n > 0"), "bool false");
  EXPECT_EQ(show("true || ++n > 0"), "bool true");
  EXPECT_EQ(show("true ? 1 : ++n"), "int 1");
  EXPECT_EQ(show("n != 0 && 1 / n"), "bool false");
  EXPECT_EQ(show("sizeof(++n)"), "unsigned long 4");
  EXPECT_EQ(show("++n ? n : 0"), "int 1");
  EXPECT_EQ(show("n"), "int 1");
}

TEST_F(Evaluate, ElementsComeFromTheScopeAndAreFoundOnce) {
  scope.variables["i"] = {Value::of(1), false};
  EXPECT_EQ(show("x[i] + x[2]"), "int 50");
  scope.subscripts = 0;
  EXPECT_EQ(show("x[i++] += 5"), "int 25");
  EXPECT_EQ(scope.subscripts, 1);
  EXPECT_EQ(show("i"), "int 2");
  EXPECT_EQ(show("x[1]"), "int 25");
  EXPECT_EQ(show("x[0]--"), "int 10");
  EXPECT_EQ(show("++x[0]"), "int 10");
  EXPECT_EQ(show("x[3] = i"), "int 2");
}

TEST_F(Evaluate, Functions) {
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
  EXPECT_TRUE(is_scalar_function("std::cosf"));
  EXPECT_FALSE(is_scalar_function("saxpy"));
}

struct Wrong {
  std::string text, message;
  ErrorKind kind;
  int column, width;
};
void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.text; }
class WrongExpression : public Fixture, public testing::WithParamInterface<Wrong> {};
TEST_P(WrongExpression, HasAPlace) {
  scope.variables["n"] = {Value::of(5), false};
  scope.variables["limit"] = {Value::of(5), true};
  scope.variables["flag"] = {Value::of(true), false};
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
                    Wrong{"2 * limt", "unknown name 'limt'", ErrorKind::name, 5, 4},
                    Wrong{"limit = 3", "limit is const", ErrorKind::type, 1, 5},
                    Wrong{"++limit", "limit is const", ErrorKind::type, 3, 5},
                    Wrong{"flag++", "'++' is not defined for bool", ErrorKind::type, 1, 6},
                    Wrong{"m = 3", "unknown name 'm'", ErrorKind::name, 1, 1},
                    Wrong{"3 = n", "this cannot be assigned to", ErrorKind::type, 1, 5},
                    Wrong{"(n + 1) = 2", "this cannot be assigned to", ErrorKind::type, 1, 11},
                    Wrong{"sqr(2)", "unknown function 'sqr'", ErrorKind::name, 1, 3},
                    Wrong{"sqrt(1, 2)", "sqrt() takes 1 argument, not 2", ErrorKind::type, 1, 10},
                    Wrong{"max(1)", "max() takes 2 arguments, not 1", ErrorKind::type, 1, 6},
                    Wrong{"sqrt(x = 1)", "sqrt() has no argument named x", ErrorKind::type, 10, 1},
                    Wrong{"n + \"a\"", "a string is not a number", ErrorKind::type, 5, 3},
                    Wrong{"*n", "a pointer is not a number", ErrorKind::type, 1, 2},
                    Wrong{"n.x", "a member is not a number", ErrorKind::type, 1, 3},
                    Wrong{"{1, 2}", "a list in braces is not a number", ErrorKind::type, 1, 6},
                    Wrong{"(P)n", "a cast to P is not a number", ErrorKind::type, 1, 4},
                    Wrong{"char{300}", "300 does not fit into char", ErrorKind::value, 6, 3},
                    Wrong{"int{1, 2}", "int holds one value, not 2", ErrorKind::type, 1, 9},
                    Wrong{"sizeof(Unknown)", "sizeof of this is not a number", ErrorKind::type, 1, 15}));

TEST_F(Evaluate, AnUnknownNameSuggestsTheNearest) {
  scope.variables["count"] = {Value::of(5), false};
  EXPECT_EQ(failure("cuont + 1").advice, "did you mean 'count'?");
  EXPECT_EQ(failure("sqrtt(2)").advice, "did you mean 'sqrt'?");
}

TEST_F(Evaluate, ScalarFormsAreToldFromTheRest) {
  for (const auto* text : {"1 + n * sqrt(2)", "n = 3", "n++", "(float)n", "a ? b : c"})
    EXPECT_TRUE(is_scalar_form(*parse_expression(text, ""))) << text;
  for (const auto* text : {"x[0]", "f(1)", "p.x", "\"a\"", "*p", "{1}", "(P)x", "1 + x[2]", "uniform(a = 1)"})
    EXPECT_FALSE(is_scalar_form(*parse_expression(text, ""))) << text;
}

TEST_F(Evaluate, ComplexNumbers) {
  scope.variables["z"] = {Value::complex(Kind::complex64, 3, 4), false};
  EXPECT_EQ(show("abs(z)"), "float 5.0");
  EXPECT_EQ(run("z * z").text(), "(-7.0+24.0j)");
  EXPECT_EQ(run("z / 2").text(), "(1.5+2.0j)");
  EXPECT_EQ(run("-z + 1.0").text(), "(-2.0-4.0j)");
  EXPECT_EQ(show("imag(z)"), "float 4.0");
  EXPECT_EQ(show("z == z"), "bool true");
  EXPECT_EQ(failure("z < z").message, "'<' is not defined for cuda::std::complex<float> and cuda::std::complex<float>");
  EXPECT_EQ(failure("sin(z)").kind, ErrorKind::type);
}

TEST(Where, APlaceWillDo) {
  Place place;
  place.line = 3;
  try {
    binary("/", Value::of(1), Value::of(0), place);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.place->line, 3);
  }
}

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
