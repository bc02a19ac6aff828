#include "session/device_order.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace xcuda::session {
namespace {

using Range = DeviceOrder::Range;
using Devices = std::vector<std::uint32_t>;
constexpr auto kRead = Range::Access::read, kWrite = Range::Access::write;

struct Order : DeviceOrder {
  explicit Order(std::uint32_t devices = 3) { begin(devices); }
  Devices use(std::uint32_t device, const Range& range) { return afters(before(device, std::span(&range, 1)), device); }
  static Devices afters(Waits waits, std::uint32_t device) {
    Devices list;
    for (const auto& wait : waits) {
      EXPECT_EQ(wait.device, device);
      list.push_back(wait.after);
    }
    return list;
  }
};

TEST(DeviceOrder, AReaderWaitsForTheWriterAndForNobodyElse) {
  Order order;
  EXPECT_EQ(order.use(0, {100, 50, kWrite}), Devices{});
  EXPECT_EQ(order.use(0, {100, 50, kRead}), Devices{});
  EXPECT_EQ(order.use(1, {200, 50, kWrite}), Devices{});
  EXPECT_EQ(order.use(1, {149, 1, kRead}), Devices{0});
  EXPECT_EQ(order.use(2, {150, 50, kRead}), Devices{});
  EXPECT_EQ(order.use(2, {140, 5, kRead}), Devices{0});
}

TEST(DeviceOrder, AWriterWaitsForReaders) {
  Order order;
  order.use(1, {100, 50, kRead});
  order.use(2, {120, 50, kRead});
  EXPECT_EQ(order.use(0, {100, 10, kRead}), Devices{});
  EXPECT_EQ(order.use(0, {100, 10, kWrite}), Devices{1});
  EXPECT_EQ(order.use(0, {0, 1000, kWrite}), Devices{2});
}

TEST(DeviceOrder, NobodyWaitsTwiceForTheSame) {
  Order order;
  order.use(0, {0, 10, kWrite});
  order.use(0, {20, 10, kWrite});
  EXPECT_EQ(order.use(1, {0, 10, kRead}), Devices{0});
  EXPECT_EQ(order.use(1, {20, 10, kRead}), Devices{});  // it came before what was waited for
  order.use(0, {40, 10, kWrite});
  EXPECT_EQ(order.use(1, {20, 10, kWrite}), Devices{});
  EXPECT_EQ(order.use(1, {40, 10, kRead}), Devices{0});
  EXPECT_EQ(order.use(2, {0, 10, kRead}), Devices{0});  // what one knows, others do not
}

TEST(DeviceOrder, WhoWaitsForADeviceHasWaitedForWhatThatOneWaitedFor) {
  Order order;
  order.use(0, {0, 10, kWrite});
  EXPECT_EQ(order.use(1, {0, 10, kWrite}), Devices{0});
  order.use(1, {20, 10, kWrite});
  EXPECT_EQ(order.use(2, {20, 10, kRead}), Devices{1});
  EXPECT_EQ(order.use(2, {0, 10, kRead}), Devices{});
}

TEST(DeviceOrder, WhatIsDoneHoldsUpNobody) {
  Order order;
  order.use(0, {0, 10, kWrite});
  order.use(1, {20, 10, kWrite});
  EXPECT_EQ(Order::afters(order.before_all(2), 2), (Devices{0, 1}));
  EXPECT_EQ(Order::afters(order.before_all(2), 2), Devices{});
  EXPECT_EQ(Order::afters(order.before_all(0), 0), Devices{1});
  order.done();
  EXPECT_EQ(order.use(1, {0, 30, kWrite}), Devices{});
  EXPECT_EQ(order.use(0, {0, 30, kWrite}), Devices{1});
}

TEST(DeviceOrder, WaitsThatWereLostAreAskedForAgain) {
  Order order;
  order.use(0, {0, 10, kWrite});
  EXPECT_EQ(order.use(1, {0, 10, kRead}), Devices{0});
  order.forget_waits();
  EXPECT_EQ(order.use(1, {0, 10, kRead}), Devices{0});
}

TEST(DeviceOrder, TheDevicesOfAStepDoNotWaitForEachOther) {
  Order order(2);
  order.use(0, {0, 100, kWrite});
  const std::vector<DeviceOrder::Work> work{{0, {{0, 100, kWrite}}}, {1, {{0, 100, kWrite}}}};
  EXPECT_EQ(Order::afters(order.before(std::span(work)), 1), Devices{0});
  order.open_step();
  EXPECT_EQ(order.use(0, {0, 100, kWrite}), Devices{});
  EXPECT_EQ(order.use(1, {0, 100, kWrite}), Devices{});
  order.close_step();
  const auto waits = order.before(std::span(work));
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].device, 0u);
  EXPECT_EQ(waits[0].after, 1u);
  EXPECT_EQ(waits[1].device, 1u);
  EXPECT_EQ(waits[1].after, 0u);
  EXPECT_EQ(order.use(0, {50, 1, kRead}), Devices{});
}

// What device 0 learns in a step from 2, it has not learnt before it says how far it has come.
TEST(DeviceOrder, TheWaitsOfAStepDoNotCountForEachOther) {
  Order order;
  order.use(0, {0, 10, kWrite});
  order.use(2, {20, 10, kWrite});
  const std::vector<DeviceOrder::Work> work{{0, {{20, 10, kRead}}}, {1, {{0, 10, kRead}}}};
  EXPECT_EQ(order.before(std::span(work)).size(), 2u);
  EXPECT_EQ(order.use(1, {20, 10, kRead}), Devices{2});
}

TEST(DeviceOrder, WhatIsHeardAtOnceHoldsUpDevicesOfTheSameStep) {
  Order order(2);
  const Range one{0, 100, kWrite}, same{0, 100, kRead};
  order.open_step();
  EXPECT_TRUE(order.before(0, std::span(&one, 1), DeviceOrder::Heard::at_once).empty());
  EXPECT_EQ(Order::afters(order.before(1, std::span(&same, 1), DeviceOrder::Heard::at_once), 1), Devices{0});
  order.close_step();
}

TEST(DeviceOrder, EverythingIsUsedByWhatCannotTell) {
  Order order;
  order.use(1, DeviceOrder::kEverything);
  EXPECT_EQ(order.use(0, {0x2000'0000'0000, 8, kRead}), Devices{1});
  EXPECT_EQ(order.use(2, DeviceOrder::kEverything), Devices{0});  // which has waited for 1
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

// Against a list of all bytes: with each device's own view of what it has waited for.
TEST(DeviceOrder, RandomRangesAreOrderedAsTheirBytesAre) {
  constexpr std::uint32_t kDevices = 4;
  std::mt19937 random(17);
  for (int round = 0; round < 200; ++round) {
    Order order(kDevices);
    struct Use {
      std::uint64_t written = 0, read = 0;  // the number of the last use of a byte by a device
    };
    std::vector<std::array<Use, kDevices>> bytes(64);
    std::array<std::array<std::uint64_t, kDevices>, kDevices> waited{};  // for all uses up to this number
    std::uint64_t number = 0;
    for (int i = 0; i < 60; ++i) {
      const auto device = static_cast<std::uint32_t>(random() % kDevices);
      const Range range{random() % 60, random() % 12, random() % 2 == 0 ? kRead : kWrite};
      const auto end = std::min<std::uint64_t>(64, range.begin + range.bytes);
      Devices expected;
      for (std::uint32_t other = 0; other < kDevices; ++other) {
        bool waits = false;
        for (auto byte = range.begin; byte < end; ++byte) {
          const auto& use = bytes[byte][other];
          waits = waits || use.written > waited[device][other] ||
                  (range.access == kWrite && use.read > waited[device][other]);
        }
        if (!waits || other == device) continue;
        expected.push_back(other);
        for (std::uint32_t of = 0; of < kDevices; ++of)
          waited[device][of] = std::max(waited[device][of], waited[other][of]);
        waited[device][other] = number;
      }
      EXPECT_EQ(order.use(device, range), expected);
      ++number;
      for (auto byte = range.begin; byte < end; ++byte)
        (range.access == kWrite ? bytes[byte][device].written : bytes[byte][device].read) = number;
      if (random() % 16 == 0) {
        order.done();
        for (auto& byte : bytes) byte = {};
      }
    }
  }
}

}  // namespace
}  // namespace xcuda::session
