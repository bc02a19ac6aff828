#include "display/thread_picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace xcuda::display {
namespace {

std::string picture(const device::Dim3& block, const std::vector<device::Dim3>& threads) {
  return thread_picture({block, threads}).text(Colours::none);
}

TEST(ThreadPicture, AWarpIsARow) {
  EXPECT_EQ(picture({40}, {{3, 0, 0}, {4, 0, 0}, {33, 0, 0}}),
            "     | ···██···························  threads 0 to 31\n"
            "     | ·█······                          threads 32 to 39\n");
  EXPECT_TRUE(picture({33}, {{32, 0, 0}}).ends_with("     | █                                 thread 32\n"));
}

TEST(ThreadPicture, AWarpOfWhichNothingIsKnownIsBlank) {
  EXPECT_EQ(picture({40}, {{3, 0, 0}}),
            "     | ···█····························  threads 0 to 31\n"
            "     |                                   threads 32 to 39\n");
}

TEST(ThreadPicture, LargeBlocksHaveTwoWarpsInARow) {
  const auto text = picture({1024}, {});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 16);
  EXPECT_NE(text.find("  threads 960 to 1023\n"), text.npos);
}

TEST(ThreadPicture, RowsOfABlockOfTwoDimensionsAreRows) {
  EXPECT_EQ(picture({8, 2}, {{1, 1, 0}}),
            "     | ········  (0, 0, 0) to (7, 0, 0)\n     | ·█······  (0, 1, 0) to (7, 1, 0)\n");
  EXPECT_EQ(picture({2, 2, 2}, {{1, 0, 1}}), "     | ·····█··  (0, 0, 0) to (1, 1, 1)\n");  // too short to be a row
}

TEST(ThreadPicture, MarkedThreadsAreRed) {
  const auto html = thread_picture({{4}, {{2, 0, 0}}}).html();
  EXPECT_NE(html.find("xc-bad\">█<"), html.npos) << html;
}

}  // namespace
}  // namespace xcuda::display
