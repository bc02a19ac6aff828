#include "kernel/bounds.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "kernel/stream_buffer.hpp"

namespace xcuda::kernel {
namespace {

TEST(BoundedText, CutsBetweenCharactersAndSaysHowMuch) {
  EXPECT_EQ(bounded_text("abc", 3), "abc");
  EXPECT_EQ(bounded_text("abcd", 3), "abc ... [cut: 1 B]");
  EXPECT_EQ(bounded_text("aéé", 2), "a ... [cut: 4 B]");
  EXPECT_EQ(bounded_text("aéé", 3), "aé ... [cut: 2 B]");
  EXPECT_EQ(bounded_text("abc", 0), " ... [cut: 3 B]");
}

TEST(BoundedError, LeavesASmallOneAlone) {
  const auto error = bounded_error({"E", "value", {"a", "b"}});
  EXPECT_EQ(error.evalue, "value");
  EXPECT_EQ(error.traceback, (std::vector<std::string>{"a", "b"}));
}

TEST(BoundedError, KeepsTheFirstAndTheLastLines) {
  display::RenderedError error{"E", std::string(kMaxEvalue + 1, 'x'), {"first"}};
  for (int i = 0; i < 100; ++i) error.traceback.push_back(std::string(kMaxTraceback / 50, 'x'));
  error.traceback.push_back("last");
  const auto bounded = bounded_error(error);
  EXPECT_EQ(bounded.evalue, std::string(kMaxEvalue, 'x') + " ... [cut: 1 B]");
  EXPECT_EQ(bounded.traceback.front(), "first");
  EXPECT_EQ(bounded.traceback.back(), "last");
  std::size_t size = 0, notes = 0;
  for (const auto& line : bounded.traceback) {
    size += line.size();
    notes += line.find(" lines, [cut: ") != std::string::npos ? 1 : 0;
  }
  EXPECT_LE(size, kMaxTraceback + 100);
  EXPECT_EQ(notes, 1u);
}

TEST(BoundedError, CutsItsForms) {
  display::RenderedError error{"E", "v", {"line"}};
  error.bundle.data = {{"text/plain", "v"}, {"text/html", std::string(2 * kMaxValue, 'x')}};
  const auto bounded = bounded_error(error);
  EXPECT_FALSE(bounded.bundle.data.contains("text/html"));
  EXPECT_NE(bounded.bundle.data["text/plain"].get<std::string>().find("[cut: 2.0 MiB of text/html]"),
            std::string::npos);
}

TEST(BoundedError, CutsOneLongLine) {
  const auto bounded = bounded_error({"E", "v", {std::string(2 * kMaxTraceback, 'x'), "last"}});
  ASSERT_EQ(bounded.traceback.size(), 2u);
  EXPECT_LT(bounded.traceback[0].size(), kMaxTraceback);
  EXPECT_TRUE(bounded.traceback[0].ends_with("KiB]")) << bounded.traceback[0].substr(bounded.traceback[0].size() - 40);
}

TEST(BoundedBundle, LeavesOutTheLargestFormsFirst) {
  const Json data{
      {"text/plain", "text"}, {"text/html", std::string(5000, 'h')}, {"image/svg+xml", std::string(900, 's')}};
  EXPECT_EQ(bounded_bundle(data, 10'000), data);
  const auto bounded = bounded_bundle(data, 4000);
  EXPECT_FALSE(bounded.contains("text/html"));
  EXPECT_TRUE(bounded.contains("image/svg+xml"));
  EXPECT_EQ(bounded["text/plain"], "text\n[cut: 4.9 KiB of text/html]");
}

TEST(BoundedBundle, CutsTheTextAtLast) {
  for (const auto* piece : {"x", "é", "\x01", "\n"}) {
    std::string text;
    while (text.size() < 20'000) text += piece;
    const auto bounded = bounded_bundle({{"text/plain", text}, {"text/html", text}}, 5000);
    EXPECT_EQ(bounded.size(), 1u);
    const auto& kept = bounded["text/plain"].get_ref<const std::string&>();
    EXPECT_EQ(kept, valid_utf8(kept));
    EXPECT_LE(json_size(bounded), 5000u);
    EXPECT_GT(json_size(bounded), 3000u);
    EXPECT_NE(kept.find(" of text/plain]"), std::string::npos);
    EXPECT_NE(kept.find(" of text/html]"), std::string::npos);
  }
}

TEST(BoundedBundle, SaysSoWhereThereWasNoText) {
  const auto bounded = bounded_bundle({{"image/png", std::string(20'000, 'p')}}, 5000);
  EXPECT_EQ(bounded, (Json{{"text/plain", "[cut: 19.5 KiB of image/png]"}}));
}

TEST(BoundedBundle, BearsManyFormsWithLongNames) {
  Json data = Json::object();
  for (int i = 0; i < 500; ++i) data[std::string(100, 'n') + std::to_string(i)] = std::string(100, 'x');
  EXPECT_LE(json_size(bounded_bundle(data, 5000)), 5000u);
}

TEST(BoundedMatches, KeepsTheFirst) {
  editor::Matches completions{{}, 3, 4};
  completions.matches.push_back({std::string(kMaxMatch + 1, 'x'), "array", ""});
  for (std::size_t i = 0; i < kMaxMatches + 5; ++i)
    completions.matches.push_back({std::to_string(i), "array", std::string(2 * kMaxMatch, 's')});
  const auto [kept, left_out] = bounded_matches(std::move(completions));
  EXPECT_EQ(kept.matches.size(), kMaxMatches);
  EXPECT_EQ(kept.matches.front().text, "0");
  EXPECT_LT(kept.matches.front().signature.size(), kMaxMatch + 50);
  EXPECT_EQ(left_out, 6u);
  EXPECT_EQ(kept.begin, 3u);
}

}  // namespace
}  // namespace xcuda::kernel
