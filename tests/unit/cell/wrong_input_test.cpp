// Each wrong cell has one error, at its line and column, with advice where there is some.
#include <gtest/gtest.h>

#include "cell/parse.hpp"
#include "tests/unit/cell/sample_grammar.hpp"

namespace xcuda::cell {
namespace {

struct WrongCell {
  std::string text, message;
  int line, column, width;
  ErrorKind kind = ErrorKind::syntax;
};
void PrintTo(const WrongCell& wrong, std::ostream* out) { *out << wrong.text; }

class WrongInput : public testing::TestWithParam<WrongCell> {};
TEST_P(WrongInput, HasOneErrorWithAPlace) {
  const auto& wrong = GetParam();
  try {
    parse_cell(wrong.text, "In[7]", sample_grammar);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.message, wrong.message);
    EXPECT_EQ(error.kind, wrong.kind);
    ASSERT_TRUE(error.place);
    EXPECT_EQ(error.place->source, "In[7]");
    EXPECT_EQ(error.place->line, wrong.line);
    EXPECT_EQ(error.place->column, wrong.column);
    EXPECT_EQ(error.place->width, wrong.width);
  }
}

constexpr auto unsupported = ErrorKind::unsupported;

INSTANTIATE_TEST_SUITE_P(
    Statements, WrongInput,
    testing::Values(
        WrongCell{"x = 3 y", "expected ';' before 'y'", 1, 6, 0},
        WrongCell{"x = 1\ny = 2;", "expected ';' before 'y'", 1, 6, 0},
        WrongCell{"int a = 3", "expected ';' at the end of the cell", 1, 10, 0},
        WrongCell{"int 3;", "expected a name after the type, not '3'", 1, 5, 1},
        WrongCell{"int int;", "expected a name after the type, not ';'", 1, 8, 1},
        WrongCell{"auto x, while;", "'while' is a keyword and cannot be a name", 1, 9, 5},
        WrongCell{"float demo::x(3);", "a qualified name cannot be declared", 1, 7, 7},
        WrongCell{"float x[];", "x[] has neither an extent nor a list of values", 1, 7, 1},
        WrongCell{"float x[3][];", "only the first extent can be omitted", 1, 11, 1},
        WrongCell{"float x[1:2];", "a slice cannot be an extent", 1, 10, 1},
        WrongCell{"if x) y;", "expected '(' after if, not 'x'", 1, 4, 1},
        WrongCell{"do b; while (int a = 1);", "a condition of while cannot declare a variable", 1, 14, 9, unsupported},
        WrongCell{"else x;", "'else' without an if", 1, 1, 4},
        WrongCell{"for (i = 0; i < 3) x;", "expected ';' after the condition of for, not ')'", 1, 18, 1},
        WrongCell{"do x; until (y);", "expected 'while' after the body of do, not 'until'", 1, 7, 5},
        WrongCell{"break;", "'break' outside a loop", 1, 1, 5},
        WrongCell{"{ continue; }", "'continue' outside a loop", 1, 3, 8},
        WrongCell{"for (;;) { x;", "this '{' is not closed", 1, 10, 1},
        WrongCell{"}", "this '}' closes nothing", 1, 1, 1}, WrongCell{"x;\n  y);", "expected ';' before ')'", 2, 4, 0},
        WrongCell{"(a", "this '(' is not closed", 1, 1, 1}, WrongCell{"f(1, 2", "this '(' is not closed", 1, 2, 1},
        WrongCell{"f(a b)", "expected ')', not 'b'", 1, 5, 1},
        WrongCell{"f(1,)", "expected an argument after ',', not ')'", 1, 5, 1},
        WrongCell{"x[1", "this '[' is not closed", 1, 2, 1}, WrongCell{"{1, 2};", "expected ';' before '}'", 1, 6, 0},
        WrongCell{"x = {1, 2", "this '{' is not closed", 1, 5, 1},
        WrongCell{"x = {.a = 1};", "a list with the names of members needs its type, a struct that device code has", 1,
                  5, 8, unsupported}));

INSTANTIATE_TEST_SUITE_P(
    Expressions, WrongInput,
    testing::Values(WrongCell{"x[]", "expected an index, not ']'", 1, 3, 1},
                    WrongCell{"x[1:2:3:4]", "a slice has at most three parts", 1, 8, 1},
                    WrongCell{"x[1 2]", "expected ',', ':' or ']', not '2'", 1, 5, 1},
                    WrongCell{"x[a ? b]", "expected ':' of the ternary, not ']'", 1, 8, 1},
                    WrongCell{"a ? b", "expected ':' of the ternary at the end of the cell", 1, 6, 0},
                    WrongCell{"(1, 2)", "parentheses cannot hold several values", 1, 3, 1},
                    WrongCell{"x.3", "expected ';' before '.3'", 1, 2, 0},
                    WrongCell{"x->;", "expected the name of a member, not ';'", 1, 4, 1},
                    WrongCell{"a + ;", "expected an expression, not ';'", 1, 5, 1},
                    WrongCell{"a +", "expected an expression at the end of the cell", 1, 4, 0},
                    WrongCell{"a >>> b;", "expected ';' before '>'", 1, 2, 0},
                    WrongCell{"09", "'09': an octal number has digits 0 to 7", 1, 1, 2},
                    WrongCell{"1.5q", "'1.5q': unknown suffix 'q'", 1, 1, 4},
                    WrongCell{"1lL", "'1lL': unknown suffix 'lL'", 1, 1, 3},
                    WrongCell{"5f", "'5f': an integer cannot end in f", 1, 1, 2},
                    WrongCell{"1e400", "'1e400': too large for double", 1, 1, 5},
                    WrongCell{"1e40f", "'1e40f': too large for float", 1, 1, 5},
                    WrongCell{"1.0L", "'1.0L': a device has no long double", 1, 1, 4},
                    WrongCell{"0x1.8", "'0x1.8': a hexadecimal float needs an exponent", 1, 1, 5},
                    WrongCell{"0x", "'0x': not a number", 1, 1, 2},
                    WrongCell{"1..2", "'1..2': unknown suffix '.2'", 1, 1, 4},
                    WrongCell{"99999999999999999999", "'99999999999999999999': too large for 64 bits", 1, 1, 20},
                    WrongCell{"9223372036854775808", "'9223372036854775808': too large for a signed integer", 1, 1, 19},
                    WrongCell{"'ab'", "a character literal holds one byte", 1, 1, 4},
                    WrongCell{"''", "an empty character literal", 1, 1, 2},
                    WrongCell{"L'a'", "a wide character literal", 1, 1, 4, unsupported},
                    WrongCell{"x = \"\\q\";", "an unknown escape in a string", 1, 5, 4},
                    WrongCell{"x = this;", "'this' cannot be used in a statement", 1, 5, 4, unsupported},
                    WrongCell{"auto [a, b];", "expected '=' and what has several parts, not ';'", 1, 12, 1},
                    WrongCell{"float (&op)(float);",
                              "statements declare no references to functions, and no pointers to pointers to arrays", 1,
                              7, 1, unsupported},
                    WrongCell{"x = float;", "expected '(' after the type float, not ';'", 1, 10, 1},
                    WrongCell{"static_cast<>(x);", "expected a type, not '>'", 1, 13, 1}));

INSTANTIATE_TEST_SUITE_P(
    Launches, WrongInput,
    testing::Values(WrongCell{"k<<<1, 2>>(x);", "expected ',' or '>>>', not ';'", 1, 14, 1},
                    WrongCell{"k<<<1, 2", "this '<<<' is not closed", 1, 2, 3},
                    WrongCell{"k<<<>>>(x);", "a launch needs a grid and a block", 1, 2, 6},
                    WrongCell{"k<<<1, 2, 3, 4, 5>>>();", "a launch has at most four values in <<< >>>", 1, 17, 1},
                    WrongCell{"k<<<1, 2>>>;", "expected '(' and the kernel's arguments after >>>, not ';'", 1, 12, 1},
                    WrongCell{"x = k<<<1, 2>>>();", "a launch must be a separate statement", 1, 6, 3},
                    WrongCell{"k<<<1, 2> > >(x);", "expected an expression, not '>'", 1, 11, 1}));

INSTANTIATE_TEST_SUITE_P(
    NotThere, WrongInput,
    testing::Values(
        WrongCell{"case 1: ;", "statements cannot contain 'case' outside a switch", 1, 1, 4, unsupported},
        WrongCell{"goto a;", "the label a is not defined", 1, 6, 1, ErrorKind::name},
        WrongCell{"catch (int) { }", "statements cannot contain 'catch' without a try", 1, 1, 5, unsupported},
        WrongCell{"try { } f();", "expected 'catch' after the block of try, not 'f'", 1, 9, 1},
        WrongCell{"goto 3;", "goto takes the name of a label", 1, 6, 1},
        WrongCell{"{ struct P { int x; }; }", "P cannot be defined here", 1, 3, 8},
        WrongCell{"{ __device__ int x; }", "'__device__' begins device code, which cannot be here", 1, 3, 10},
        WrongCell{"{\n#include <x>\n}", "#include among statements", 2, 1, 12},
        WrongCell{"{\n#if X\n}", "this #if has no #endif", 2, 1, 5}));

INSTANTIATE_TEST_SUITE_P(
    Magics, WrongInput,
    testing::Values(WrongCell{"%save x 'a", "this quote is not closed", 1, 9, 1},
                    WrongCell{"%%foo \"b\nbody", "this quote is not closed", 1, 7, 1},
                    WrongCell{"%", "a magic needs a name", 1, 1, 1}, WrongCell{"% x", "a magic needs a name", 1, 1, 1},
                    WrongCell{"x;\n%%launch --repeat", "%%launch must be on the first line of the cell", 2, 1, 8},
                    WrongCell{"x; %free y", "a magic needs its own line", 1, 4, 1},
                    WrongCell{"!", "expected a shell command after '!'", 1, 1, 1},
                    WrongCell{"? a b", "'?' goes before or after one name", 1, 1, 1},
                    WrongCell{"%launch k<<<1, 1>>>(x", "this '(' is not closed", 1, 20, 1},
                    WrongCell{"%alloc float x[3\ny", "this '[' is not closed", 1, 15, 1},
                    WrongCell{"%launch\n%alloc 3 x", "expected ';' before 'x'", 2, 9, 0},
                    WrongCell{"%%alloc\nfloat x[3]\nfloat y;", "expected ';' before 'float'", 2, 11, 0}));

INSTANTIATE_TEST_SUITE_P(
    DeviceCode, WrongInput,
    testing::Values(
        WrongCell{"__global__ void f(", "this '(' is not closed", 1, 18, 1},
        WrongCell{"__global__ void f() {\n  g(1;\n}", "'}' does not close the '(' of line 2, column 4", 3, 1, 1},
        WrongCell{"__global__ void f()", "expected '{' or ';' after the function's parameters at the end of the cell",
                  1, 20, 0},
        WrongCell{"__global__ void f()\n__global__ void g() { }", "expected ';' before '__global__'", 1, 20, 0},
        WrongCell{"struct P { int x; }\nx = 3;", "expected ';' after struct P", 1, 20, 0},
        WrongCell{"template <class T", "this '<' is not closed", 1, 10, 1},
        WrongCell{"namespace a {\n", "this '{' is not closed", 1, 13, 1},
        WrongCell{"namespace a = b", "expected ';' at the end of the cell", 1, 16, 0},
        WrongCell{"__device__ int x = 3", "expected ';' at the end of the cell", 1, 21, 0},
        WrongCell{"#if 1\nint x = 3;\n", "this #if has no #endif", 1, 1, 5},
        WrongCell{"#ifdef A\n#define B", "this #ifdef has no #endif", 1, 1, 8},
        WrongCell{"#else", "#else without an #if", 1, 1, 5}, WrongCell{"#define", "#define needs a name", 1, 1, 7},
        WrongCell{"%%kernel\n}", "this '}' closes nothing", 2, 1, 1},
        WrongCell{"namespace a {\n%free x\n}", "a magic cannot be inside a namespace", 2, 1, 1}));

TEST(WrongInput, ANulByteHasAPlaceToo) {
  try {
    parse_cell(std::string("int a;\nb\0c", 10), "In[1]", sample_grammar);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message, "the cell holds a NUL byte");
    EXPECT_EQ(error.place->line, 2);
    EXPECT_EQ(error.place->column, 2);
  }
}

TEST(WrongInput, WhatWasParsedBeforeTheErrorIsKept) {
  const auto result = try_parse_cell("int a = 1;\nint b = 2;\n3 4", "In[1]", sample_grammar);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.cell.statements.size(), 3u);
}

TEST(Limits, NestingEndsInAnErrorAndNotInAnOverflow) {
  const std::size_t deep = 100000;
  for (const auto* open : {"(",   "{",    "[",     "-",         "~",     "f(",      "x[",           "{1,",
                           "a?",  "a=",   "(int)", "sizeof ",   "if(a)", "for(;;)", "namespace a{", "while(a){",
                           "do ", "k<<<", "x={",   "else if(a)"}) {
    std::string text;
    for (std::size_t i = 0; i < deep; ++i) text += open;
    EXPECT_TRUE(try_parse_cell(text, {}, sample_grammar).error) << open;
    EXPECT_TRUE(try_parse_cell("%%kernel\n" + text, {}, sample_grammar).error || open[0] != '(') << open;
    EXPECT_TRUE(try_parse_cell("if (a) " + text, {}, sample_grammar).error) << open;
  }
}

TEST(Limits, LongChainsAreErrorsToo) {
  for (const auto* link : {"+a", "[0]", ".b", "()", ",a", "++"}) {
    std::string text = "a";
    for (int i = 0; i < 200000; ++i) text += link;
    EXPECT_TRUE(try_parse_cell(text, {}, sample_grammar).error) << link;
  }
  std::string sum = "a";
  for (int i = 0; i < 500; ++i) sum += " + a";
  EXPECT_FALSE(try_parse_cell(sum, {}, sample_grammar).error);
}

TEST(Limits, LargeInputsAreRead) {
  std::string list = "float x[] = {0";
  for (int i = 0; i < 500000; ++i) list += ", 1.5f";
  list += "};";
  EXPECT_FALSE(try_parse_cell(list, {}, sample_grammar).error);
  std::string code = "%%kernel\n";
  for (int i = 0; i < 50000; ++i) code += "__device__ int f" + std::to_string(i) + "(int a) { return a < 3; }\n";
  EXPECT_EQ(try_parse_cell(code, {}, sample_grammar).cell.device.size(), 50000u);
  std::string angles = "x = a";
  for (int i = 0; i < 300; ++i) angles += "<a";
  EXPECT_FALSE(try_parse_cell(angles + ";", {}, sample_grammar).error);
  std::string comments;
  for (int i = 0; i < 200000; ++i) comments += "// a comment\n";
  EXPECT_FALSE(try_parse_cell(comments + "x", {}, sample_grammar).error);
}

}  // namespace
}  // namespace xcuda::cell
