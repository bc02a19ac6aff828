// What asserts of kernels print is gathered; all else is handed on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "session/assert_lines.hpp"

namespace xcuda::session {
namespace {

std::string line(int block, int thread, int row = 0, std::string_view condition = "i < n") {
  return fmt::format("In[7]:3: void check(float *): block: [{},0,0], thread: [{},{},0] Assertion `{}` failed.\n", block,
                     thread, row, condition);
}

class AssertLinesTest : public testing::Test {
 protected:
  void take(std::string_view text) {
    lines.take(text, [this](std::string_view other) { shown += other; });
  }
  std::string threads() {
    const auto failed = lines.failed();
    return failed.size() == 1 ? threads_text(failed.front()) : fmt::format("{} asserts", failed.size());
  }
  AssertLines lines;
  std::string shown;
};

TEST_F(AssertLinesTest, OneThread) {
  take(line(2, 5));
  const auto failed = lines.failed();
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].source, "In[7]");
  EXPECT_EQ(failed[0].line, 3);
  EXPECT_EQ(failed[0].condition, "i < n");
  EXPECT_EQ(failed[0].blocks[0], (device::Dim3{2, 0, 0}));
  EXPECT_EQ(failed[0].threads[0], (device::Dim3{5, 0, 0}));
  EXPECT_EQ(threads_text(failed[0]), "");
  EXPECT_TRUE(lines.failed().empty());
  EXPECT_EQ(shown, "");
}

TEST_F(AssertLinesTest, RangesOfThreads) {
  for (int i = 5; i < 32; ++i) take(line(0, i));
  EXPECT_EQ(threads(), "27 threads of block (0, 0, 0): 5 to 31");
  for (const int i : {40, 3, 2, 1, 9}) take(line(4, i));
  EXPECT_EQ(threads(), "5 threads of block (4, 0, 0): 1 to 3, 9, 40");
  for (int i = 0; i < 2048; i += 2) take(line(0, i));
  EXPECT_EQ(threads(), "1,024 threads of block (0, 0, 0): 0, 2, 4, 6 and 1,020 more");
}

TEST_F(AssertLinesTest, TheSizeOfTheBlockIsToldWhereItIsKnown) {
  for (int i = 5; i < 32; ++i) take(line(0, i));
  EXPECT_EQ(threads_text(lines.failed().front(), device::Dim3{32}), "27 of 32 threads of block (0, 0, 0): 5 to 31");
  for (int i = 5; i < 32; ++i) take(line(0, i));
  EXPECT_EQ(threads_text(lines.failed().front(), device::Dim3{40}),
            "27 of 32 threads of block (0, 0, 0): 5 to 31; the launch ended before another warp failed");
  for (const int i : {31, 32, 35}) take(line(0, i));
  EXPECT_EQ(threads_text(lines.failed().front(), device::Dim3{40}), "3 of 40 threads of block (0, 0, 0): 31 to 32, 35");
}

TEST_F(AssertLinesTest, BlocksOfTwoDimensionsAndSeveralBlocks) {
  for (int i = 1; i < 5; ++i) take(line(0, i, 2));
  EXPECT_EQ(threads(), "4 threads of block (0, 0, 0), the first of them (1, 2, 0)");
  for (int i = 0; i < 6; ++i) take(line(i / 2, 7 + i));
  EXPECT_EQ(threads(), "6 threads of 3 blocks, the first of them thread (7, 0, 0) of block (0, 0, 0)");
}

TEST_F(AssertLinesTest, SeveralAsserts) {
  take(line(0, 1) + line(0, 1, 0, "x > 0") + line(0, 2));
  const auto failed = lines.failed();
  ASSERT_EQ(failed.size(), 2u);
  EXPECT_EQ(failed[0].count, 2u);
  EXPECT_EQ(failed[1].condition, "x > 0");
}

TEST_F(AssertLinesTest, AllElseIsHandedOn) {
  const auto text = "a word\n" + line(0, 1) + "block: [0,0,0], thread: [1,0,0] Assertion `a` failed.\n\nthe end";
  for (const char c : text) take({&c, 1});
  EXPECT_EQ(shown, "a word\nblock: [0,0,0], thread: [1,0,0] Assertion `a` failed.\n\n");
  lines.flush([this](std::string_view other) { shown += other; });
  EXPECT_TRUE(shown.ends_with("\nthe end"));
  EXPECT_EQ(lines.failed().size(), 1u);
  for (const auto* odd : {"In[7]:x: f: block: [0,0,0], thread: [0,0,0] Assertion `a` failed.\n",
                          "In[7]:3: f: block: [0,0], thread: [0,0,0] Assertion `a` failed.\n",
                          "In[7]:3: f: block: [0,0,0], thread: [0,0,0] Assertion `a` failed\n"})
    take(odd);
  EXPECT_TRUE(lines.failed().empty());
}

}  // namespace
}  // namespace xcuda::session
