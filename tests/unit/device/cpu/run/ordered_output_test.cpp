#include "device/cpu/run/ordered_output.hpp"

#include <gtest/gtest.h>

#include <string>

namespace xcuda::device::cpu {
namespace {

TEST(OrderedOutput, IsInTheOrderOfBlocks) {
  std::string all;
  const TextSink sink = [&](std::string_view text) { all += text; };
  OrderedOutput output(sink, 1000);
  std::string late = "c", middle = "b", first = "a";
  output.complete(4, 6, late);
  output.complete(1, 4, middle);
  EXPECT_EQ(all, "");
  output.complete(0, 1, first);
  EXPECT_EQ(all, "abc");
}

TEST(OrderedOutput, FinishWritesWhatWaits) {
  std::string all;
  const TextSink sink = [&](std::string_view text) { all += text; };
  OrderedOutput output(sink, 1000);
  std::string late = "later";
  output.complete(4, 6, late);
  output.finish();
  EXPECT_EQ(all, "later");
}

TEST(OrderedOutput, TheRunInTurnDoesNotWait) {
  std::string all;
  const TextSink sink = [&](std::string_view text) { all += text; };
  OrderedOutput output(sink, 1000);
  std::string text = "seen at once";
  output.print(0, text);
  EXPECT_EQ(all, "seen at once");
  EXPECT_TRUE(text.empty());
  std::string other = "not yet";
  output.print(7, other);
  EXPECT_EQ(other, "not yet");
}

TEST(OrderedOutput, SaysWhatItDropped) {
  std::string all;
  const TextSink sink = [&](std::string_view text) { all += text; };
  OrderedOutput output(sink, 10);
  std::string text(100, 'x');
  output.complete(5, 6, text);
  output.finish();
  EXPECT_NE(all.find("100 bytes"), std::string::npos);
}

}  // namespace
}  // namespace xcuda::device::cpu
