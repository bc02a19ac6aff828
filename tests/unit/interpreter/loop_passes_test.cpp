// src/interpreter/host/loop_passes.cpp
#include "interpreter/host/loop_passes.hpp"

#include <gtest/gtest.h>

#include "cell/parse.hpp"

namespace xcuda::interpreter {
namespace {

// Of the loop that is the whole cell; i is 0 when it begins, n is 100, x is not a number.
std::optional<std::uint64_t> passes(const std::string& head) {
  const auto cell = cell::parse_cell("for (" + head + ") {}", "In[1]");
  const auto* loop = std::get_if<cell::For>(&cell.statements.at(0)->node);
  if (loop == nullptr) throw std::runtime_error(head + " is not a loop");
  return passes_of(*loop, [](const std::string& name) -> std::optional<double> {
    if (name == "i") return 0;
    if (name == "n") return 100;
    return std::nullopt;
  });
}

TEST(LoopPasses, AreThoseOfTheHead) {
  EXPECT_EQ(passes("int i = 0; i < 10; ++i"), 10u);
  EXPECT_EQ(passes("int i = 0; i < n; i++"), 100u);
  EXPECT_EQ(passes("int i = 0; i <= n; i += 2"), 51u);
  EXPECT_EQ(passes("int i = 0; i < n; i += 3"), 34u);
  EXPECT_EQ(passes("int i = 0; i < 2 * n + 1; ++i"), 201u);
  EXPECT_EQ(passes("int i = 0; i != n / 3; ++i"), 33u);
  EXPECT_EQ(passes("int i = 0; i > -n; --i"), 100u);
  EXPECT_EQ(passes("int i = 0; i >= -n; i -= 50"), 3u);
  EXPECT_EQ(passes("float i = 0; i < 1; i += 0.25f"), 4u);
  EXPECT_EQ(passes("int i = 0; i < -5; ++i"), 0u);
}

TEST(LoopPasses, AreUnknownForAnythingElse) {
  for (const auto* head :
       {"int i = 0; i < x; ++i", "int i = 0; i < n; i *= 2", "int i = 0; i < n; --i", "int i = 0; ; ++i",
        "int i = 0; i < n;", "int i = 0; i < f(n); ++i", "int i = 0; i < n && n > 3; ++i", "int i = 0; i < n; i += 0",
        "int i = 0; n > i; ++n", "int i = 0; i < n; ++n", "int i = 0; i == n; ++i"})
    EXPECT_FALSE(passes(head)) << head;
}

}  // namespace
}  // namespace xcuda::interpreter
