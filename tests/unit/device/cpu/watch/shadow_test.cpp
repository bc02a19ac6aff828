// What --race and --init remember: marks of words, and bytes of arrays.
#include "device/cpu/watch/shadow.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace xcuda::device::cpu {
namespace {

constexpr std::uint32_t site = 3;

class Row {
 public:
  explicit Row(std::uint32_t words) : writes_(words), reads_(words) {}
  MarkRow of(std::uint32_t time, std::uint32_t thread, unsigned thread_shift = 0) {
    return {writes_.data(), reads_.data(), Mark(time, thread, site).bits(), static_cast<std::uint32_t>(writes_.size()),
            thread_shift};
  }
  Mark read(std::size_t i) const { return Mark(reads_[i]); }
  Mark written(std::size_t i) const { return Mark(writes_[i]); }

 private:
  std::vector<std::uint64_t> writes_, reads_;
};

Order order(std::uint32_t launch, std::uint32_t block, std::uint32_t phase, std::uint32_t warp = 0) {
  return {Mark::at(launch), Mark::at(block), Mark::at(phase), Mark::at(warp)};
}

TEST(Shadow, AMarkHoldsItsParts) {
  const Mark mark = Mark(7, 1023, 99).as_atomic().with(Mark::Readers::grid);
  EXPECT_EQ(mark.time(), 7u);
  EXPECT_EQ(mark.thread(), 1023u);
  EXPECT_EQ(mark.site(), 99u);
  EXPECT_TRUE(mark.atomic());
  EXPECT_EQ(mark.readers(), Mark::Readers::grid);
}

TEST(Shadow, OneThreadPerWordInTurn) {
  Row row(32);
  ASSERT_TRUE(mark_writes(row.of(5, 64), order(1, 2, 5)));
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(row.written(i).thread(), 64 + i);
  EXPECT_TRUE(mark_reads(row.of(5, 64), order(1, 2, 5)));   // each thread its own
  EXPECT_FALSE(mark_reads(row.of(5, 65), order(1, 2, 5)));  // its neighbour's
  EXPECT_TRUE(mark_reads(row.of(6, 65), order(1, 2, 6)));   // behind a barrier
  Row pairs(32);
  ASSERT_TRUE(mark_writes(pairs.of(5, 0, 1), order(1, 2, 5)));
  EXPECT_EQ(pairs.written(31).thread(), 15u);
}

TEST(Shadow, WarpsAreOrderedByThemselves) {
  Row row(8);
  ASSERT_TRUE(mark_writes(row.of(5, 0), order(1, 2, 5)));
  EXPECT_TRUE(mark_reads(row.of(6, 1), order(1, 2, 5, 6)));    // the same warp, synchronised since
  EXPECT_FALSE(mark_reads(row.of(6, 33), order(1, 2, 5, 6)));  // another one
}

TEST(Shadow, ReadersAreKeptTogether) {
  Row row(8);
  ASSERT_TRUE(mark_reads(row.of(5, 0), order(1, 2, 5)));
  EXPECT_EQ(row.read(0).readers(), Mark::Readers::thread);
  ASSERT_TRUE(mark_reads(row.of(5, 1), order(1, 2, 5)));
  EXPECT_EQ(row.read(0).readers(), Mark::Readers::warp);
  ASSERT_TRUE(mark_reads(row.of(5, 40), order(1, 2, 5)));
  EXPECT_EQ(row.read(0).readers(), Mark::Readers::block);
  EXPECT_FALSE(mark_writes(row.of(5, 40), order(1, 2, 5)));  // others have read it, too
  ASSERT_TRUE(mark_reads(row.of(8, 40), order(1, 7, 8)));    // by the next block
  EXPECT_EQ(row.read(0).readers(), Mark::Readers::grid);
  EXPECT_FALSE(mark_writes(row.of(9, 40), order(1, 7, 9)));     // which no barrier orders
  EXPECT_TRUE(mark_writes(row.of(12, 40), order(10, 11, 12)));  // the next launch
}

TEST(Shadow, ARowThatCannotBeMarkedStaysAsItWas) {
  Row row(16);
  ASSERT_TRUE(mark_writes(row.of(5, 0), order(1, 2, 5)));
  EXPECT_FALSE(mark_writes(row.of(5, 1), order(1, 2, 5)));
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(row.written(i).thread(), i);
}

TEST(Shadow, StaysBetweenLaunchesAndCountsWhatItTakes) {
  Shadows shadows;
  const std::uint32_t first = shadows.begin(1 << 20, 2);
  Shadow* shadow = shadows.of({0x1000, 1 << 20});
  ASSERT_NE(shadow, nullptr);
  EXPECT_TRUE(shadows.touch(*shadow, 0, 31));
  shadow->writes[0] = Mark(first, 1, site).bits();
  shadows.end(first + 5);
  EXPECT_GT(shadows.begin(1 << 20, 2), first + 5);
  EXPECT_EQ(shadows.of({0x1000, 1 << 20}), shadow);
  EXPECT_EQ(Mark(shadow->writes[0]).time(), first);
  EXPECT_TRUE(shadows.touch(*shadow, 31, 32));
  EXPECT_TRUE(shadows.touch(*shadow, Shadow::kPieceWords, Shadow::kPieceWords));
  EXPECT_FALSE(shadows.touch(*shadow, Shadow::kPieceWords, 2 * Shadow::kPieceWords));  // too much
}

}  // namespace
}  // namespace xcuda::device::cpu
