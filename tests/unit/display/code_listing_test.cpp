#include "display/code_listing.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace xcuda::display {
namespace {

CodeRow row(int line, const std::string& text) {
  CodeRow row{.source = line > 0 ? "In[3]" : "", .line = line, .what = line > 0 ? fmt::format("line {};", line) : ""};
  row.text.add(text);
  return row;
}

// Two lines of which the first has instructions in two places, and a place that is jumped to.
CodeRows sample() {
  CodeRow label{.kind = CodeRow::Kind::label};
  label.text.add("L1:");
  return {row(0, "PROLOGUE"), row(4, "LOAD"), row(2, "MOVE"), label, row(4, "ADD"), row(4, "STORE")};
}

std::vector<std::string> found(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> all;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) all.push_back((*at)[1]);
  return all;
}

TEST(CodeListing, TextIsInOrder) {
  EXPECT_EQ(listing_text(sample()).text(Colours::none),
            "// for no line of a cell\nPROLOGUE\n// In[3]:4  line 4;\nLOAD\n// In[3]:2  line 2;\nMOVE\nL1:\n"
            "// In[3]:4  line 4;\nADD\nSTORE\n");
}

TEST(CodeListing, HtmlHasALineOnceWithAllItsInstructions) {
  const auto html = listing_html(sample(), "sample");
  EXPECT_EQ(found(html, "<summary>.*?<code>(.*?)</code>"),
            (std::vector<std::string>{"In[3]:2  line 2;", "In[3]:4  line 4;", "for no line of a cell"}));
  EXPECT_EQ(found(html, "(\\d+) instructions?</span>"), (std::vector<std::string>{"1", "3", "1"}));
  const auto line_4 = html.substr(html.find("In[3]:4"));
  const auto body = line_4.substr(0, line_4.find("</details>"));
  for (const auto* instruction : {"LOAD", "ADD", "STORE"}) EXPECT_NE(body.find(instruction), body.npos) << instruction;
  EXPECT_EQ(body.find("MOVE"), body.npos);
}

TEST(CodeListing, EveryLinkLeadsToAPlace) {
  const auto html = listing_html(sample(), "sample");
  const auto places = found(html, "id=\"([^\"]*)\""), links = found(html, "href=\"#([^\"]*)\"");
  const std::set<std::string> all(places.begin(), places.end());
  EXPECT_EQ(all.size(), places.size());  // no name twice
  EXPECT_EQ(links.size(), 2 * 4u);       // four runs, from the lines to the order and back
  for (const auto& link : links) EXPECT_TRUE(all.contains(link)) << link;
}

TEST(CodeListing, ALineHasOneColourAndNeighboursHaveOthers) {
  const auto html = listing_html(sample(), "sample");
  std::set<std::string> colours;
  for (const auto& colour : found(html, "background:(#[0-9a-f]{6})")) colours.insert(colour);
  EXPECT_EQ(colours.size(), 3u);
}

TEST(CodeListing, WithoutLinesThereIsNothingToGroup) {
  const auto html = listing_html({row(0, "A"), row(0, "B")}, "plain");
  EXPECT_EQ(html.find("<details"), html.npos);
  EXPECT_EQ(listing_text({row(0, "A"), row(0, "B")}).text(Colours::none), "A\nB\n");
}

TEST(CodeListing, LongListingsAreFolded) {
  CodeRows rows;
  for (int i = 0; i < 100; ++i) rows.push_back(row(1 + i % 2, "FMA"));
  EXPECT_EQ(listing_html(rows, "long").find(" open"), std::string::npos);
  EXPECT_NE(listing_html(sample(), "short").find(" open"), std::string::npos);
}

}  // namespace
}  // namespace xcuda::display
