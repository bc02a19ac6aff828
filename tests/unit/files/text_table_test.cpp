#include "files/text_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>

#include "base/error.hpp"

namespace xcuda::files {
namespace {

using TableShape = std::vector<std::uint64_t>;

template <class Element> struct Table {
  Type type;
  TableShape shape;
  std::vector<Element> elements;
};

template <class Element = double>
Table<Element> read_table(const std::string& text, const TextTableReader::Wanted& wanted = {},
                          std::size_t step = 1000) {
  TextTableReader reader(std::as_bytes(std::span(text)), "x.csv", wanted);
  Table<Element> table{reader.facts().type, reader.facts().shape, {}};
  table.elements.resize(reader.facts().count());
  auto bytes = std::as_writable_bytes(std::span(table.elements));
  EXPECT_EQ(bytes.size(), reader.facts().bytes());
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(step * sizeof(Element), bytes.size())))
    reader.read(bytes.first(std::min(step * sizeof(Element), bytes.size())));
  return table;
}

std::string table_refusal(const std::string& text, const TextTableReader::Wanted& wanted = {}) {
  try {
    if (wanted.scalar)
      read_table<std::uint8_t>(text, wanted);
    else
      read_table(text, wanted);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::value);
    EXPECT_FALSE(error.advice.empty());
    return error.message;
  }
  return "";
}

TEST(TextTable, EachDelimiter) {
  for (const auto* text : {"1,2.5\n-3,4e2\n", "1;2.5\n-3;4e2", "1\t2.5\r\n-3\t4e2\r\n", " 1  2.5 \n\n -3 4e2\n\n",
                           "\xEF\xBB\xBF"
                           "1, 2.5\n-3, +4e2\n",
                           "\"1\",\"2.5\"\n\"-3\",\"4e2\"\n"})
    for (const std::size_t step : {1, 3, 1000}) {
      const auto table = read_table(text, {}, step);
      EXPECT_EQ(table.shape, (TableShape{2, 2})) << text;
      EXPECT_EQ(table.elements, (std::vector<double>{1, 2.5, -3, 400})) << text;
    }
}

TEST(TextTable, NamesCommentsAndWhatIsMissing) {
  auto table = read_table("# by hand\ntime,\"speed, m/s\"\n1,2 # first\n3,\n\nNA,nan\n");
  EXPECT_EQ(table.shape, (TableShape{3, 2}));
  EXPECT_EQ(table.elements[1], 2);
  for (const std::size_t i : {3, 4, 5}) EXPECT_TRUE(std::isnan(table.elements[i])) << i;
  EXPECT_EQ(read_table(",a,b\n0,1,2\n").elements, (std::vector<double>{0, 1, 2}));  // as pandas writes its index
  EXPECT_EQ(read_table("x y\n1 2\n").elements, (std::vector<double>{1, 2}));
  EXPECT_EQ(read_table("1e400,-inf\n").elements, (std::vector<double>{INFINITY, -INFINITY}));
}

TEST(TextTable, ShapesAreThoseOfLoadtxt) {
  EXPECT_EQ(read_table("1,2,3\n").shape, (TableShape{3}));
  EXPECT_EQ(read_table("1\n2\n3\n").shape, (TableShape{3}));
  EXPECT_EQ(read_table("7").shape, (TableShape{1}));
  EXPECT_EQ(read_table("1,2,3\n", {{}, 2}).shape, (TableShape{1, 3}));
  EXPECT_EQ(read_table("1\n2\n", {{}, 2}).shape, (TableShape{2, 1}));
  for (const auto* text : {"", "\n\n", "# nothing\n", "a,b\n"})
    EXPECT_EQ(read_table(text).shape, TableShape{0}) << text;
}

TEST(TextTable, EachTypeHasItsValues) {
  EXPECT_EQ(read_table<std::int64_t>("9223372036854775807,-9223372036854775808", {Scalar::int64, 1}).elements,
            (std::vector<std::int64_t>{INT64_MAX, INT64_MIN}));
  EXPECT_EQ(read_table<std::uint64_t>("18446744073709551615", {Scalar::uint64, 1}).elements[0], UINT64_MAX);
  EXPECT_EQ(read_table<std::int8_t>("-128, 127, 1e2, 3.0", {Scalar::int8, 1}).elements,
            (std::vector<std::int8_t>{-128, 127, 100, 3}));
  EXPECT_EQ(read_table<float>("0.1", {Scalar::float32, 1}).elements[0], 0.1F);
  EXPECT_EQ(read_table<std::uint16_t>("1.5", {Scalar::float16, 1}).elements[0], 0x3e00);
  const auto complex = read_table<std::complex<double>>("(1.5-2j),(0+0.1j)\n1e-3,2j\n");
  EXPECT_EQ(complex.type.scalar, Scalar::complex128);
  EXPECT_EQ(complex.elements, (std::vector<std::complex<double>>{{1.5, -2}, {0, 0.1}, {1e-3, 0}, {0, 2}}));
}

TEST(TextTable, WhatIsNotATableIsRefused) {
  EXPECT_EQ(table_refusal("1,2\n3\n"), "cannot load \"x.csv\": line 2 has 1 number, but line 1 has 2");
  EXPECT_EQ(table_refusal("a,b\n1,2\n\n3,4,5\n"), "cannot load \"x.csv\": line 4 has 3 numbers, but line 2 has 2");
  EXPECT_EQ(table_refusal("1,2\n3,four\n"), "cannot load \"x.csv\": line 2, column 2: \"four\" is not a number");
  EXPECT_EQ(table_refusal("1,5;2\n3,5;4\n"), "cannot load \"x.csv\": line 1, column 2: \"5;2\" is not a number");
  const TextTableReader::Wanted bytes{Scalar::uint8, 1};
  EXPECT_EQ(table_refusal("256", bytes),
            "cannot load \"x.csv\": line 1, column 1: 256 is not a value of unsigned char");
  for (const auto* text : {"-1", "1.5", "1,,2", "NA", "nan", "inf", "1e30", "1\n0x10", "1\n--1", "1\n+-1"})
    EXPECT_NE(table_refusal(text, bytes), "") << text;
  for (const auto* text : {"1,2\n+-3,4\n", "1\n--2", "1\n2 3", "1\n(1", "1\n\"", "1\n,"})
    EXPECT_NE(table_refusal(text), "") << text;
}

}  // namespace
}  // namespace xcuda::files
