#include "display/number_format.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <regex>

#include "base/text.hpp"
#include "display/array_view.hpp"
#include "tests/places.hpp"

namespace xcuda::display {
namespace {

std::vector<std::byte> bytes_of_hex(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

Type type_of_dtype(const std::string& dtype) {
  for (int scalar = 1; scalar <= static_cast<int>(Scalar::complex128); ++scalar)
    if (auto type = type_of(static_cast<Scalar>(scalar)); dtype_name(type) == dtype) return type;
  return {};
}

template <class T> std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T> std::string element_text(std::string_view type, T value) {
  return format_element(*find_type(type), bytes_of<T>({value}));
}

// NumPy's text, where numbers without an exponent among others with one are as they are by themselves, without
// "e+00", and as wide as NumPy has them.
std::string without_exponents_of_zero(const std::string& text, Scalar width) {
  static const std::regex kNumber(R"(([+-]?)(\d\.\d*)e\+0+(?!\d)(j?))");
  std::string out;
  auto rest = text.cbegin();
  for (std::sregex_iterator number(text.begin(), text.end(), kNumber), end; number != end; ++number) {
    out.append(rest, text.cbegin() + number->position());
    auto digits = shortest({std::stod((*number)[2]), width});
    if (digits.ends_with(".0")) digits.resize(digits.size() - 2);
    auto shown = (*number)[1].str() + digits + (*number)[3].str();
    shown.resize(number->str().size(), ' ');
    out += shown;
    rest = text.cbegin() + number->position() + number->length();
  }
  return out.append(rest, text.cend());
}

Scalar width_of(Scalar scalar) {
  return scalar == Scalar::complex64 ? Scalar::float32 : scalar == Scalar::complex128 ? Scalar::float64 : scalar;
}

TEST(Numbers, WhatNeedsNoExponentHasNone) {
  const auto texts = format_elements(*find_type("float"), bytes_of<float>({-1, 1e-5F, 2.5F, 0, 300}), {});
  EXPECT_EQ(texts, (std::vector<std::string>{"-1      ", " 1.0e-05", " 2.5    ", " 0      ", " 3.0e+02"}));
}

TEST(Numbers, ArraysPrintAsInNumPy) {
  std::ifstream file(test::source_file("tests/golden/display/numpy_cases.json"));
  const auto cases = nlohmann::json::parse(file);
  ASSERT_GT(cases.size(), 100u);
  for (const auto& entry : cases) {
    ArrayView array;
    array.type = entry["dtype"] == "record" ? Type{"record", entry["size"], 1} : type_of_dtype(entry["dtype"]);
    ASSERT_EQ(array.type.size, entry["size"].get<std::size_t>()) << entry["name"];
    array.shape = entry["shape"].get<std::vector<std::uint64_t>>();
    for (const auto& field : entry["fields"])
      array.fields.push_back({field["name"], type_of_dtype(field["dtype"]), field["offset"], field["count"]});
    const auto all = bytes_of_hex(entry["hex"]);
    for (const auto& range : shown_ranges(array.shape)) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(range.first * array.type.size);
      array.elements.insert(array.elements.end(), first,
                            first + static_cast<std::ptrdiff_t>(range.count * array.type.size));
    }
    EXPECT_EQ(array_text(array), without_exponents_of_zero(entry["text"], width_of(array.type.scalar)))
        << entry["name"];
  }
}

TEST(Numbers, OneElementReadsAsInCpp) {
  EXPECT_EQ(element_text<std::uint8_t>("bool", 1), "true");
  EXPECT_EQ(element_text<float>("float", 0.1F), "0.1");
  EXPECT_EQ(element_text<double>("double", 1e-5), "1e-05");
  EXPECT_EQ(element_text<double>("double", 1e16), "1e+16");
  EXPECT_EQ(element_text<double>("double", -2), "-2.0");
  EXPECT_EQ(element_text<std::int8_t>("char", 65), "65");
  EXPECT_EQ(element_text<std::uint64_t>("size_t", ~0ULL), "18446744073709551615");
  EXPECT_EQ(format_element(*find_type("float2"), bytes_of<float>({1, 0.5F})), "(1.0, 0.5)");
  EXPECT_EQ(format_element(*find_type("complex<float>"), bytes_of<float>({1, -0.5F})), "(1.0-0.5j)");
}

TEST(Numbers, BfloatHasItsOwnShortestDigits) {
  EXPECT_EQ(element_text<std::uint16_t>("bfloat16", 0x3DCD), "0.1");   // 0.10009765625
  EXPECT_EQ(element_text<std::uint16_t>("bfloat16", 0x4049), "3.14");  // 3.140625
  EXPECT_EQ(element_text<std::uint16_t>("bfloat16", 0x7F80), "inf");
  EXPECT_EQ(element_text<std::uint16_t>("bfloat16", 0x0001), "9e-41");  // the least
}

TEST(Numbers, VectorsAlignEachLane) {
  const auto texts = format_elements(*find_type("float2"), bytes_of<float>({1, 10, -2.5F, 0.25F}), {});
  EXPECT_EQ(texts, (std::vector<std::string>{"( 1. , 10.  )", "(-2.5,  0.25)"}));
}

TEST(Numbers, WhatHasNoKnownInsideIsShownAsBytesOrAddress) {
  EXPECT_EQ(format_element(Type{"P", 3, 1}, bytes_of<std::uint8_t>({1, 2, 255})), "<01 02 ff>");
  EXPECT_EQ(format_element(Type{"float*", 8, 8}, bytes_of<std::uint64_t>({0x200000000000})), "0x200000000000");
  EXPECT_EQ(format_elements(Type{"P", 20, 4}, std::vector<std::byte>(20), {}).front(),
            "<00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 …>");
}

TEST(Numbers, ShownRangesOfBigArraysAreFewAndMerged) {
  using Ranges = std::vector<IndexRange>;
  using Shape = std::vector<std::uint64_t>;
  EXPECT_EQ(shown_ranges(Shape{1000}), (Ranges{{0, 1000}}));
  EXPECT_EQ(shown_ranges(Shape{1ULL << 40}), (Ranges{{0, 3}, {(1ULL << 40) - 3, 3}}));
  EXPECT_EQ(shown_ranges(Shape{1000, 4}), (Ranges{{0, 12}, {3988, 12}}));
  EXPECT_EQ(shown_ranges(Shape{2, 1000}), (Ranges{{0, 3}, {997, 6}, {1997, 3}}));
  EXPECT_EQ(shown_ranges(Shape{0, 5}), (Ranges{}));
  EXPECT_EQ(shown_ranges(Shape{}), (Ranges{{0, 1}}));
}

}  // namespace
}  // namespace xcuda::display
