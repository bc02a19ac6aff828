#include "kernel/page_styles.hpp"

#include <gtest/gtest.h>

#include "display/html.hpp"

namespace xcuda::kernel {
namespace {

nlohmann::json table() { return {{"text/plain", "x"}, {"text/html", display::html_output("<table></table>")}}; }
std::size_t styles_of(const nlohmann::json& data) {
  const std::string html = data["text/html"];
  std::size_t count = 0;
  for (auto at = html.find("<style>"); at != html.npos; at = html.find("<style>", at + 1)) ++count;
  return count;
}
std::string html_of(const nlohmann::json& data) { return data["text/html"]; }

TEST(PageStyles, TheFirstOutputHasAllRulesAndLaterOnesNone) {
  PageStyles styles;
  styles.begin("a");
  const auto first = styles.dressed(table());
  EXPECT_NE(html_of(first).find(display::style_sheet()), std::string::npos);
  EXPECT_TRUE(html_of(first).ends_with("<div class=\"xcuda\"><table></table></div>"));
  EXPECT_EQ(html_of(styles.dressed(table())), "<div class=\"xcuda\"><table></table></div>");
  styles.begin("b");
  EXPECT_EQ(styles_of(styles.dressed(table())), 0u);
}

TEST(PageStyles, ACellThatRunsAgainHasThemAgain) {
  PageStyles styles;
  styles.begin("a");
  styles.dressed(table());
  styles.begin("b");
  EXPECT_EQ(styles_of(styles.dressed(table())), 0u);
  styles.begin("a");
  EXPECT_EQ(styles_of(styles.dressed(table())), 1u);
}

TEST(PageStyles, WhatACellClearsIsShownAgain) {
  PageStyles styles;
  styles.begin("a");
  styles.dressed(table());
  styles.clear();
  EXPECT_EQ(styles_of(styles.dressed(table())), 1u);
  styles.begin("b");
  styles.clear();  // its own outputs only
  EXPECT_EQ(styles_of(styles.dressed(table())), 0u);
}

TEST(PageStyles, ACellThatShowsNoneNeedsNone) {
  PageStyles styles;
  styles.begin("a");
  EXPECT_EQ(styles.dressed({{"text/plain", "1"}}), nlohmann::json({{"text/plain", "1"}}));
  const nlohmann::json own{{"text/html", "<style>b{color:red}</style><b>bold</b>"}};
  EXPECT_EQ(styles.dressed(own), own);
  styles.begin("b");
  EXPECT_EQ(styles_of(styles.dressed(table())), 1u);
}

TEST(PageStyles, OutputsInFramesOfTheirOwnKeepWhatTheyNeed) {
  PageStyles styles;
  for (int i = 0; i < 2; ++i) {
    styles.begin(std::nullopt);
    EXPECT_EQ(styles.dressed(table()), table());
  }
}

}  // namespace
}  // namespace xcuda::kernel
