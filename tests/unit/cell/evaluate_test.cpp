#include "cell/evaluate.hpp"

#include <gtest/gtest.h>

namespace xcuda::cell {
namespace {

TEST(ScalarFunction, IsKnownByEachOfItsNames) {
  for (const auto* name : {"cos", "cosf", "std::cos", "std::cosf"}) EXPECT_TRUE(is_scalar_function(name)) << name;
  for (const auto* name : {"saxpy", "std::", "cosff"}) EXPECT_FALSE(is_scalar_function(name)) << name;
}

TEST(ScalarFunction, TakesComplexNumbersWhereItIsDefinedForThem) {
  const auto z = Value::complex(Kind::complex64, 3, 4);
  const auto of = [&](std::string_view function) { return call_scalar_function(function, {&z, 1}, Place()); };
  EXPECT_EQ(of("abs").kind(), Kind::float32);
  EXPECT_EQ(of("abs").text(), "5.0");
  EXPECT_EQ(of("imag").text(), "4.0");
  EXPECT_THROW(of("sin"), Error);
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

}  // namespace
}  // namespace xcuda::cell
