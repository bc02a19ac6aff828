#include "session/device_order.hpp"

#include <gtest/gtest.h>

#include <random>

namespace xcuda::session {
namespace {

using Range = DeviceOrder::Range;
using Devices = std::vector<std::uint32_t>;
constexpr auto kRead = Range::Access::read, kWrite = Range::Access::write;

struct Order : DeviceOrder {
  explicit Order(std::uint32_t devices = 3) { begin(devices); }
  Devices use(std::uint32_t device, const Range& range) { return before(device, std::span(&range, 1)); }
};

TEST(DeviceOrder, AReaderWaitsForTheWriterAndForNobodyElse) {
  Order order;
  EXPECT_EQ(order.use(0, {100, 50, kWrite}), Devices{});
  EXPECT_EQ(order.use(0, {100, 50, kRead}), Devices{});
  EXPECT_EQ(order.use(1, {200, 50, kWrite}), Devices{});
  EXPECT_EQ(order.use(1, {149, 1, kRead}), Devices{0});
  EXPECT_EQ(order.use(2, {150, 50, kRead}), Devices{});
  EXPECT_EQ(order.use(2, {140, 70, kRead}), (Devices{0, 1}));
}

TEST(DeviceOrder, AWriterWaitsForReaders) {
  Order order;
  order.use(1, {100, 50, kRead});
  order.use(2, {120, 50, kRead});
  EXPECT_EQ(order.use(0, {100, 10, kRead}), Devices{});
  EXPECT_EQ(order.use(0, {100, 10, kWrite}), Devices{1});
  EXPECT_EQ(order.use(0, {0, 1000, kWrite}), (Devices{1, 2}));
}

TEST(DeviceOrder, WhatIsDoneHoldsUpNobody) {
  Order order;
  order.use(0, {0, 10, kWrite});
  order.use(1, {20, 10, kWrite});
  EXPECT_EQ(order.busy(), (Devices{0, 1}));
  order.done(0);
  EXPECT_EQ(order.busy(), Devices{1});
  EXPECT_EQ(order.use(2, {0, 30, kRead}), Devices{1});
  order.done();
  EXPECT_EQ(order.use(0, {0, 30, kWrite}), Devices{});
}

TEST(DeviceOrder, TheDevicesOfAStepDoNotWaitForEachOther) {
  Order order(2);
  order.use(0, {0, 100, kWrite});
  const std::vector<DeviceOrder::Work> work{{0, {{0, 100, kWrite}}}, {1, {{0, 100, kWrite}}}};
  EXPECT_EQ(order.before(std::span(work)), Devices{0});
  order.done(0);
  order.open_step();
  EXPECT_EQ(order.use(0, {0, 100, kWrite}), Devices{});
  EXPECT_EQ(order.use(1, {0, 100, kWrite}), Devices{});
  order.close_step();
  EXPECT_EQ(order.before(std::span(work)), (Devices{0, 1}));
  EXPECT_EQ(order.use(0, {50, 1, kRead}), Devices{1});
}

TEST(DeviceOrder, EverythingIsUsedByWhatCannotTell) {
  Order order;
  order.use(1, DeviceOrder::kEverything);
  EXPECT_EQ(order.use(0, {0x2000'0000'0000, 8, kRead}), Devices{1});
  EXPECT_EQ(order.use(2, DeviceOrder::kEverything), (Devices{0, 1}));
}

TEST(DeviceOrder, ABlockChoosesADeviceForItsTime) {
  Order order;
  EXPECT_FALSE(order.is_chosen());
  {
    const DeviceOrder::Use outer(order, 2);
    EXPECT_EQ(order.current(), 2u);
    {
      const DeviceOrder::Use inner(order, 0);
      EXPECT_EQ(order.current(), 0u);
      EXPECT_TRUE(order.is_chosen());
    }
    EXPECT_EQ(order.current(), 2u);
  }
  EXPECT_EQ(order.current(), 0u);
  EXPECT_FALSE(order.is_chosen());
}

// Against a list of all bytes.
TEST(DeviceOrder, RandomRangesAreOrderedAsTheirBytesAre) {
  std::mt19937 random(17);
  for (int round = 0; round < 50; ++round) {
    Order order(4);
    std::vector<std::array<bool, 4>> written(64), read(64);
    for (int i = 0; i < 40; ++i) {
      const auto device = random() % 4;
      const Range range{random() % 60, random() % 12, random() % 2 == 0 ? kRead : kWrite};
      Devices expected;
      for (std::uint32_t other = 0; other < 4; ++other) {
        bool waits = false;
        for (auto byte = range.begin; byte < std::min<std::uint64_t>(64, range.begin + range.bytes); ++byte)
          waits = waits || written[byte][other] || (range.access == kWrite && read[byte][other]);
        if (waits && other != device) expected.push_back(other);
      }
      EXPECT_EQ(order.use(static_cast<std::uint32_t>(device), range), expected);
      for (auto byte = range.begin; byte < std::min<std::uint64_t>(64, range.begin + range.bytes); ++byte)
        (range.access == kWrite ? written : read)[byte][device] = true;
      if (random() % 8 == 0) {
        const auto finished = random() % 4;
        order.done(static_cast<std::uint32_t>(finished));
        for (auto& one : written) one[finished] = false;
        for (auto& one : read) one[finished] = false;
      }
    }
  }
}

}  // namespace
}  // namespace xcuda::session
