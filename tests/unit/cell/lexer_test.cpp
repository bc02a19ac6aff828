#include "cell/lexer.hpp"

#include <gtest/gtest.h>

namespace xcuda::cell {
namespace {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  for (const auto& token : tokens_of(text)) result.emplace_back(token.text);
  return result;
}
using Words = std::vector<std::string>;

Error failure(std::string_view text) {
  const Source source{"In[1]", text};
  Failure failure;
  Lexer lexer(source, failure, {0, static_cast<std::uint32_t>(text.size())});
  while (lexer.next().kind != TokenKind::end) {}
  EXPECT_TRUE(failure.error) << text;
  return failure.error.value_or(Error(ErrorKind::internal, "no error"));
}

TEST(Lexer, OperatorsAreLongestFirstButClosingAnglesStandAlone) {
  EXPECT_EQ(words("a<<=b<<<c<=d<e->f->*g"),
            (Words{"a", "<<=", "b", "<<<", "c", "<=", "d", "<", "e", "->", "f", "->*", "g"}));
  EXPECT_EQ(words("A<B<C>>>=x>>>"), (Words{"A", "<", "B", "<", "C", ">", ">", ">", "=", "x", ">", ">", ">"}));
  EXPECT_EQ(words("a++ + ++b - --c"), (Words{"a", "++", "+", "++", "b", "-", "--", "c"}));
  EXPECT_EQ(words("x...y::z:w"), (Words{"x", "...", "y", "::", "z", ":", "w"}));
}

TEST(Lexer, NumbersWithSuffixesSeparatorsAndExponents) {
  EXPECT_EQ(words("1'000'000ull 0xFFu 0b1010 1.5e-3f .5 5. 0x1.8p+4 1e5"),
            (Words{"1'000'000ull", "0xFFu", "0b1010", "1.5e-3f", ".5", "5.", "0x1.8p+4", "1e5"}));
  EXPECT_EQ(words("1-2 1e-2 0xe-1 a.b 1..2"), (Words{"1", "-", "2", "1e-2", "0xe", "-", "1", "a", ".", "b", "1..2"}));
}

TEST(Lexer, QuotesOfEveryKind) {
  EXPECT_EQ(words(R"x("a\"b" 'c' '\'' u8"d" L'e' R"(f)" R"xy(g)")xy" uR"(h
i)")x"),
            (Words{R"("a\"b")", "'c'", "'\\''", "u8\"d\"", "L'e'", "R\"(f)\"", "R\"xy(g)\")xy\"", "uR\"(h\ni)\""}));
  EXPECT_EQ(words("R x u8 'a'"), (Words{"R", "x", "u8", "'a'"}));
}

TEST(Lexer, CommentsAndContinuationsAreBlanks) {
  EXPECT_EQ(words("a // b\nc /* d \n e */ f \\\n g // h \\\n still\ni"), (Words{"a", "c", "f", "g", "i"}));
  const auto tokens = tokens_of("a/**/b\n c");
  EXPECT_TRUE(tokens[1].space_before);
  EXPECT_FALSE(tokens[1].line_start);
  EXPECT_TRUE(tokens[2].line_start);
  EXPECT_TRUE(tokens_of("a /*\n*/ b")[1].line_start);
}

TEST(Lexer, SpansAreBytes) {
  const auto tokens = tokens_of("\"µ\" ab");
  EXPECT_EQ(tokens[0].span, (Span{0, 4}));
  EXPECT_EQ(tokens[1].span, (Span{5, 7}));
}

TEST(Lexer, APreprocessorLineIsOneToken) {
  EXPECT_EQ(words("#define F(x) \\\n  (x) // it's\nint"), (Words{"#define F(x) \\\n  (x) // it's", "int"}));
  EXPECT_EQ(words("#error don't\nx"), (Words{"#error don't", "x"}));
  EXPECT_EQ(words("#define A /* two\nlines */ 3\nx"), (Words{"#define A /* two\nlines */ 3", "x"}));
  EXPECT_EQ(words("#define S \"/*\"\nx"), (Words{"#define S \"/*\"", "x"}));
  EXPECT_EQ(words("a # b"), (Words{"a", "#", "b"}));
}

TEST(Lexer, WhatStandsBehindIfZeroNeedNotBeCpp) {
  EXPECT_EQ(words("#if 0\nit's\n#if X\n#endif\n#endif\nx"), (Words{"#if 0\nit's\n#if X\n#endif", "#endif", "x"}));
  EXPECT_EQ(words("#if 0\ndon't\n#else\ny\n#endif"), (Words{"#if 0\ndon't", "#else", "y", "#endif"}));
  EXPECT_EQ(words("#if 0\nnever closed '"), (Words{"#if 0\nnever closed '"}));
}

TEST(Lexer, DirectivesAreSplit) {
  const auto line = split_directive("#  define /* a */ N 3");
  EXPECT_EQ(line.name, "define");
  EXPECT_EQ(line.rest, "N 3");
  EXPECT_EQ(split_directive("#").name, "");
}

TEST(Lexer, WindowsLinesAndAByteOrderMark) {
  EXPECT_EQ(words("\xEF\xBB\xBF"
                  "a\r\nb\\\r\nc"),
            (Words{"a", "b", "c"}));
}

struct WrongText {
  std::string text, message;
  int line, column;
};
class LexerErrors : public testing::TestWithParam<WrongText> {};
TEST_P(LexerErrors, HaveAPlace) {
  const auto error = failure(GetParam().text);
  EXPECT_EQ(error.message, GetParam().message);
  EXPECT_EQ(error.kind, ErrorKind::syntax);
  EXPECT_FALSE(error.advice.empty());
  ASSERT_TRUE(error.place);
  EXPECT_EQ(error.place->line, GetParam().line);
  EXPECT_EQ(error.place->column, GetParam().column);
  EXPECT_EQ(error.place->source, "In[1]");
}
INSTANTIATE_TEST_SUITE_P(Cell, LexerErrors,
                         testing::Values(WrongText{"x\n \"abc", "this string is never closed", 2, 2},
                                         WrongText{"\"abc\ndef\"", "this string is never closed", 1, 1},
                                         WrongText{"a 'b", "this character literal is never closed", 1, 3},
                                         WrongText{"a /* b", "this comment is not closed", 1, 3},
                                         WrongText{"R\"x(abc)\"", "this raw string is not closed", 1, 1},
                                         WrongText{"#define A /*", "this comment is not closed", 1, 11},
                                         WrongText{"a @", "'@' is not part of C++", 1, 3},
                                         WrongText{"a\x01", "a control character (byte 1) is not part of C++", 1, 2},
                                         WrongText{"\xE2\x80\x9C"
                                                   "a",
                                                   "a typographic quotation mark is not part of C++", 1, 1},
                                         WrongText{"a \xC2\xA0"
                                                   "b",
                                                   "a no-break space is not part of C++", 1, 3}));

TEST(Lexer, OnlyTheFirstErrorCounts) { EXPECT_EQ(failure("@ \"").message, "'@' is not part of C++"); }

TEST(Lexer, EscapesAreResolved) {
  EXPECT_EQ(unescape(R"(a\n\t\\\"\x41\101\u00b5)"), "a\n\t\\\"AA\xC2\xB5");
  EXPECT_EQ(unescape("\\U0001F600"), "\xF0\x9F\x98\x80");
  EXPECT_FALSE(unescape("\\q"));
  EXPECT_FALSE(unescape("\\x"));
  EXPECT_FALSE(unescape("\\u12"));
  EXPECT_FALSE(unescape("\\xFFF"));
  EXPECT_FALSE(unescape("\\777"));
}

TEST(Place, WidthEndsWithTheLine) {
  const Source source{"In[1]", "ab cd\r\nef"};
  const auto place = source.place({3, 9});
  EXPECT_EQ(place.line, 1);
  EXPECT_EQ(place.column, 4);
  EXPECT_EQ(place.width, 2);
  EXPECT_EQ(place.excerpt, "ab cd");
}

}  // namespace
}  // namespace xcuda::cell
