#include "language/functions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "tests/places.hpp"

namespace xcuda::language {
namespace {

std::optional<FunctionName> number_function(std::string_view name) {
  const auto found = find_function(name);
  return found && found->row->numbers != nullptr ? found : std::nullopt;
}

TEST(Functions, AreKnownByEachOfTheirNames) {
  for (const auto* name : {"cos", "cosf", "std::cos", "std::cosf", "max<float>"})
    EXPECT_TRUE(number_function(name)) << name;
  for (const auto* name : {"saxpy", "std::", "cosff", "absf", "clampf"}) EXPECT_FALSE(number_function(name)) << name;
  EXPECT_TRUE(find_function("cosf")->single);
  EXPECT_EQ(find_function("max<float>")->type, "float");
}

TEST(Functions, TakeComplexNumbersWhereTheyAreDefinedForThem) {
  const auto z = ScalarValue::complex(Kind::complex64, 3, 4);
  const auto of = [&](std::string_view function) { return call_numbers(*find_function(function), {&z, 1}, Place()); };
  EXPECT_EQ(of("abs").kind(), Kind::float32);
  EXPECT_EQ(of("abs").text(), "5.0");
  EXPECT_EQ(of("imag").text(), "4.0");
  EXPECT_THROW(of("sin"), Error);
}

TEST(Functions, HaveReadableRows) {
  for (const auto* row : all_functions()) {
    for (const auto& signature : signatures_of(*row)) {
      EXPECT_NE(signature.text.find(std::string(row->name) + "("), std::string_view::npos) << signature.text;
      for (const auto& parameter : signature.parameters) EXPECT_FALSE(parameter.name.empty()) << signature.text;
    }
    EXPECT_EQ(find_function(row->name)->row, row) << row->name << " is there twice";
    EXPECT_TRUE(row->numbers != nullptr || row->result != nullptr || is_of_statements(row->operation)) << row->name;
    EXPECT_TRUE(row->operation == Operation::numbers || !row->help.empty()) << row->name;
  }
  const auto& sum = signatures_of(*find_function("sum")->row).front();
  EXPECT_EQ(sum.required(), 1u);
  ASSERT_EQ(sum.parameters.size(), 3u);
  EXPECT_EQ(sum.parameters[2].name, "keep");
  EXPECT_EQ(sum.parameters[2].otherwise, "false");
}

TEST(Functions, OfMatricesSayWhatTheyGive) {
  const auto array = [](Kind kind, Extents extents) { return Form::array(type_of(kind), std::move(extents)); };
  const auto product = [&](const Form& a, const Form& b) {
    return result_of(*find_function("matmul"), std::array{a, b});
  };
  const auto batches = product(array(Kind::float32, {5, 1, 3, 4}), array(Kind::float64, {2, 4, 6}));
  EXPECT_EQ(batches.type, type_of(Kind::float64));
  EXPECT_EQ(batches.extents, (Extents{5, 2, 3, 6}));
  EXPECT_EQ(product(array(Kind::int8, {4}), array(Kind::int8, {4, 6})).type, type_of(Kind::int32));
  EXPECT_EQ(product(array(Kind::int32, {3, 4}), array(Kind::int16, {4})).extents, (Extents{3}));
  EXPECT_EQ(product(array(Kind::int32, {3, 4}), array(Kind::int16, {4})).type, type_of(Kind::long64));
  EXPECT_EQ(product(array(Kind::float16, {4}), array(Kind::float16, {4})).kind, Form::Kind::number);
}

TEST(Functions, OfShapesSayHowManyDimensionsTheyGive) {
  const auto x = Form::array(type_of(Kind::int32), Extents{3, 4});
  const auto number = [](int value) { return Form::number(ScalarValue::of(value)); };
  const auto none = Form::of(Form::Kind::nothing);
  const auto result = [](std::string_view name, std::vector<Form> given) {
    return result_of(*find_function(name), given);
  };
  const auto rank = [&](std::string_view name, std::vector<Form> given) {
    const auto form = result(name, std::move(given));
    return form.is_array() ? form.rank() : std::nullopt;
  };
  EXPECT_EQ(rank("argwhere", {x}), 2u);
  EXPECT_EQ(rank("flatten", {x}), 1u);
  EXPECT_EQ(rank("expand_dims", {x, number(0)}), 3u);
  EXPECT_EQ(rank("repeat", {x, number(2), none}), 1u);
  EXPECT_EQ(rank("repeat", {x, number(2), number(1)}), 2u);
  EXPECT_EQ(result("diff", {x, none, none}).type, type_of(Kind::int32));
  EXPECT_EQ(result("clip", {x, number(0), Form::number(Kind::float64)}).type, type_of(Kind::float64));
  EXPECT_EQ(result("clip", {x, number(0), number(1)}).extents, (Extents{3, 4}));
  EXPECT_EQ(result("squeeze", {Form::array(x.type, Extents{1, 4, 1}), none}).extents, (Extents{4}));
  // Which extents are 1, only the run knows.
  EXPECT_FALSE(result("squeeze", {Form::array(x.type, Extents{std::nullopt, 4}), none}).is_known());
  EXPECT_EQ(result("cumsum", {x, none}).type, type_of(Kind::long64));
  EXPECT_EQ(result("trapezoid", {Form::array(x.type, Extents{5}), none, none}).kind, Form::Kind::number);
  const auto parts = Form::array(type_of(Kind::int32), Extents{2});
  EXPECT_EQ(result("percentile", {x, parts, number(1)}).extents, (Extents{2, 3}));
  EXPECT_EQ(result("percentile", {x, parts, none}).extents, (Extents{2}));
  EXPECT_EQ(result("average", {x, none, number(0)}).extents, (Extents{4}));
}

// docs/arrays.md lists every function of arrays.
TEST(Functions, OfArraysAreInTheDocumentation) {
  std::ifstream file(test::source_file("docs/arrays.md"));
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const auto rows : {functions_of_arrays(), functions_of_matrices(), functions_of_shapes(), functions_of_series()})
    for (const auto& row : rows) {
      const auto name = "`" + std::string(row.name);
      EXPECT_TRUE(text.find(name + "`") != std::string::npos || text.find(name + "(") != std::string::npos) << row.name;
    }
}

TEST(Where, APlaceWillDo) {
  Place place;
  place.line = 3;
  try {
    binary(BinaryOperator::divide, ScalarValue::of(1), ScalarValue::of(0), place);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.place->line, 3);
  }
}

}  // namespace
}  // namespace xcuda::language
