// Calls of algorithms over iterators, and what is said of them.
#include "language/iterators.hpp"

#include <gtest/gtest.h>

#include <variant>

#include "cell/parse.hpp"
#include "language/answers.hpp"

namespace xcuda::language {
namespace {

std::optional<IteratorRange> range_of(const std::string& text) {
  const auto expression = cell::parse_expression(text, "In[1]");
  auto range = iterator_range({"In[1]", text}, std::get<cell::Call>(expression->node));
  if (range) range->base = nullptr;  // its tree goes here
  return range;
}

TEST(Iterators, AreAPartOfAnArray) {
  const auto array_of = [](const std::string& arguments) {
    const auto range = range_of("std::sort(" + arguments + ")");
    return range ? range->array : "nothing";
  };
  EXPECT_EQ(array_of("x.begin(), x.end()"), "x");
  EXPECT_EQ(array_of("std::begin(x), std::end(x)"), "x");
  EXPECT_EQ(array_of("x.begin() + 2, x.end()"), "x[2:]");
  EXPECT_EQ(array_of("x + i, x + n"), "x[i:n]");
  EXPECT_EQ(array_of("&x[1], &x[n - 1]"), "x[1:n - 1]");
  EXPECT_EQ(array_of("thrust::device, x.begin(), x.begin() + n"), "x[:n]");
  EXPECT_EQ(array_of("x.begin(), y.end()"), "nothing");
  EXPECT_EQ(array_of("x.end(), x.begin()"), "nothing");
  EXPECT_EQ(array_of("x, y"), "nothing");
  EXPECT_EQ(array_of("x"), "nothing");
}

TEST(Iterators, ArePointersForAlgorithmsAlone) {
  EXPECT_TRUE(range_of("std::count(x, x + 5, 3)"));
  EXPECT_FALSE(range_of("count(x, x + 5, 3)"));
  EXPECT_FALSE(range_of("std::max(x, x + 1)"));
}

TEST(Iterators, AreAnsweredWithTheirArguments) {
  const auto answer = [](const std::string& text) {
    return familiar_algorithm(text.substr(0, text.find('(')), *range_of(text));
  };
  EXPECT_EQ(answer("std::replace(x.begin(), x.end(), 3, 0)"), "x[x == 3] = 0;");
  EXPECT_EQ(answer("std::copy(x.begin(), x.end(), y.begin())"), "y = x;");
  EXPECT_EQ(answer("thrust::sort(x + 2, x + 6)"), "x[2:6] = sort(x[2:6]);");
  EXPECT_EQ(answer("std::all_of(x.begin(), x.end(), [](float v) { return v > 0; })"),
            "all(f(x)), where f is a __device__ function");
  EXPECT_EQ(answer("thrust::reduce(x.begin(), x.end())"), "sum(x), or reduce(x, 0, f) with a __device__ function f");
}

}  // namespace
}  // namespace xcuda::language
