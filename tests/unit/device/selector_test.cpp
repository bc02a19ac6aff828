#include "device/selector.hpp"

#include <gtest/gtest.h>

namespace xcuda::device {
namespace {

TEST(Selector, IsParsedAndSpelledAlike) {
  for (const char* const text :
       {"cpu", "cpu:2", "cpu:64", "gpu:0", "gpu:12", "gpu:0-1", "gpu:4-7", "gpu:all", "mpi:1", "mpi:8"}) {
    const auto selector = parse_selector(text);
    ASSERT_TRUE(selector) << text;
    EXPECT_EQ(to_text(*selector), text);
  }
  EXPECT_EQ(parse_selector("gpu:3"), (Selector{Kind::cuda, 3}));
  EXPECT_EQ(parse_selector("gpu"), (Selector{Kind::cuda, 0}));
  EXPECT_EQ(parse_selector("mpi:2"), (Selector{Kind::cpu, 0, 2, Selector::Reach::mpi}));
  EXPECT_EQ(parse_selector("gpu:4-7"), (Selector{Kind::cuda, 4, 4}));
}

TEST(Selector, OneDeviceHasOneName) {
  EXPECT_EQ(parse_selector("cpu:1"), Selector{});
  EXPECT_EQ(parse_selector("gpu:2-2"), (Selector{Kind::cuda, 2}));
}

TEST(Selector, OtherWordsNameNoDevice) {
  for (const char* const text :
       {"",          "gp",     "GPU",   "gpu:",   "gpu:x",  "gpu:1x",  "gpu:01",  "gpu:99999999999",
        "cpu:0",     "0",      ":0",    "cpu:",   "cpu:65", "cpu:all", "cpu:0-1", "cpu:+2",
        "mpi",       "mpi:",   "mpi:0", "mpi:65", "gpu:-1", "gpu:1-",  "gpu:3-1", "gpu:0-64",
        "gpu:0-1-2", "gpu:0,1"})
    EXPECT_FALSE(parse_selector(text)) << text;
}

}  // namespace
}  // namespace xcuda::device
