#include "device/selector.hpp"

#include <gtest/gtest.h>

namespace xcuda::device {
namespace {

TEST(Selector, IsParsedAndSpelledAlike) {
  for (const char* const text : {"cpu", "gpu:0", "gpu:12"}) {
    const auto selector = parse_selector(text);
    ASSERT_TRUE(selector) << text;
    EXPECT_EQ(to_text(*selector), text);
  }
  EXPECT_EQ(parse_selector("gpu:3"), (Selector{Kind::cuda, 3}));
  EXPECT_EQ(parse_selector("gpu"), (Selector{Kind::cuda, 0}));
}

TEST(Selector, OtherWordsNameNoDevice) {
  for (const char* const text :
       {"", "gp", "GPU", "gpu:", "gpu:x", "gpu:1x", "gpu:01", "gpu:99999999999", "cpu:0", "0", ":0"})
    EXPECT_FALSE(parse_selector(text)) << text;
}

}  // namespace
}  // namespace xcuda::device
