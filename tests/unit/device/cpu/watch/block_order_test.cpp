// What threads know of one another: clocks, and the order of a block.
#include "device/cpu/watch/block_order.hpp"

#include <gtest/gtest.h>

namespace xcuda::device::cpu {
namespace {

constexpr std::uint64_t kBlock = 3;

// A block of two warps, whose last one has 8 lanes, at time 10.
class OfABlock : public testing::Test {
 protected:
  OfABlock() { order_.begin({kBlock, 2, 0xff}, 10); }
  bool knows(std::uint32_t thread, std::uint32_t other, std::uint32_t time) const {
    return order_.knows(thread, {kBlock, other, time, false});
  }
  BlockOrder order_;
};

TEST(ThreadClock, KnowsThreadsWarpsAndBlocksUntilATime) {
  ThreadClock clock;
  EXPECT_TRUE(clock.empty());
  clock.add(ThreadClock::thread(2, 40), 7, 1);
  clock.add(ThreadClock::warp(2, 0), 5, 2);
  clock.add(ThreadClock::all(1), 9, 3);
  EXPECT_TRUE(clock.knows(2, 40, 6));
  EXPECT_FALSE(clock.knows(2, 40, 7));
  EXPECT_FALSE(clock.knows(2, 41, 6));
  EXPECT_TRUE(clock.knows(2, 31, 4));
  EXPECT_TRUE(clock.knows(1, 1023, 8));
  EXPECT_FALSE(clock.knows_atomic(2, 40, 6));
  EXPECT_EQ(clock.changed(), 3u);
  clock.add(ThreadClock::thread(2, 40), 6, 4);  // older than what it knows
  EXPECT_EQ(clock.changed(), 3u);
}

TEST(ThreadClock, JoinsTheLaterOfBoth) {
  ThreadClock a, b;
  for (std::uint32_t i = 0; i < 40; ++i) {
    a.add(ThreadClock::thread(i, 0), 10 + i % 2, 1);
    b.add(ThreadClock::thread(i, 0), 11 - i % 2, 1);
  }
  a.add(b, 2);
  for (std::uint32_t i = 0; i < 40; ++i) EXPECT_TRUE(a.knows(i, 0, 10));
  EXPECT_FALSE(a.knows(0, 0, 11));
}

TEST(ThreadClock, RefersToLongListsAsTheyWereThen) {
  ThreadClock told(ThreadClock::Kept::for_launch), other(ThreadClock::Kept::for_launch), clock, further;
  for (std::uint32_t i = 0; i < 1000; ++i) told.add(ThreadClock::all(i), 5, 5);
  clock.hear(told, 6);
  EXPECT_TRUE(clock.knows(999, 3, 4));
  told.add(ThreadClock::all(999), 20, 20);
  EXPECT_FALSE(clock.knows(999, 3, 10));
  other.add(clock, 7);  // and passes the reference on, also in a circle
  told.add(other, 8);
  further.hear(other, 9);
  EXPECT_TRUE(further.knows(500, 0, 4));
  EXPECT_FALSE(further.knows(1000, 0, 4));
}

TEST_F(OfABlock, BarriersOrderTheBlock) {
  EXPECT_TRUE(knows(5, 5, 10));
  EXPECT_FALSE(knows(5, 6, 10));
  order_.barrier(11);
  EXPECT_TRUE(knows(5, 39, 10));
  EXPECT_FALSE(knows(5, 6, 11));
}

TEST_F(OfABlock, LanesThatMeetKnowEachOther) {
  order_.meet(0, 0x0000'00ff, 11);
  order_.meet(0, 0x0000'ff80, 13);  // lane 7 passes on what it knows of lanes 0 to 6
  EXPECT_TRUE(knows(0, 7, 10));
  EXPECT_FALSE(knows(0, 7, 12));
  EXPECT_TRUE(knows(15, 0, 10));
  EXPECT_FALSE(knows(15, 0, 11));
  EXPECT_FALSE(knows(0, 15, 10));
  EXPECT_FALSE(knows(16, 0, 10));
  EXPECT_TRUE(order_.met_since(0, 10));
  EXPECT_FALSE(order_.met_since(16, 10));
  order_.meet(1, 0xff, 14);  // all lanes that there are
  EXPECT_EQ(order_.synchronised(1), 14u);
  EXPECT_EQ(order_.synchronised(0), 0u);
}

TEST_F(OfABlock, AFenceReleasesWhatWasBefore) {
  ThreadClock told;
  EXPECT_FALSE(order_.has_released(4, FenceScope::grid));
  order_.fence(0, 1u << 4, FenceScope::block, 11);
  EXPECT_TRUE(order_.has_released(4, FenceScope::block));
  EXPECT_FALSE(order_.has_released(4, FenceScope::grid));
  order_.tell_released(4, told, FenceScope::block, 13);
  order_.hear(33, told, 14);
  EXPECT_TRUE(knows(33, 4, 10));
  EXPECT_FALSE(knows(33, 4, 12));                        // after the fence
  EXPECT_TRUE(order_.knows(33, {kBlock, 4, 12, true}));  // but for atomics
  EXPECT_FALSE(knows(34, 4, 10));
  order_.barrier(15);
  EXPECT_TRUE(order_.has_released(0, FenceScope::block));  // all pass it on now
}

TEST_F(OfABlock, WhatARelaxedReadFoundCountsAfterAFence) {
  ThreadClock told;
  told.add(ThreadClock::all(1), 9, 9);
  order_.read(0, told, 11);
  EXPECT_FALSE(order_.knows(0, {1, 77, 8, false}));
  order_.fence(0, 1, FenceScope::grid, 12);
  EXPECT_TRUE(order_.knows(0, {1, 77, 8, false}));
  EXPECT_FALSE(order_.knows(1, {1, 77, 8, false}));
  order_.meet(0, 3, 13);
  EXPECT_TRUE(order_.knows(1, {1, 77, 8, false}));
}

TEST_F(OfABlock, AWarpThatTellsTogetherIsOneEntry) {
  ThreadClock told;
  order_.tell(0, 0xffff'ffff, told, 11);
  order_.tell(1, 0x0f, told, 12);
  order_.hear(39, told, 13);
  EXPECT_TRUE(knows(39, 31, 10));
  EXPECT_TRUE(knows(39, 35, 11));
  EXPECT_FALSE(knows(39, 36, 10));
}

}  // namespace
}  // namespace xcuda::device::cpu
