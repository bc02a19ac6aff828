#include "device/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "device/fake.hpp"
#include "device/transfer.hpp"

namespace xcuda::device {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

struct Rig {
  FakeDevice device;
  Memory memory;
  explicit Rig(std::uint64_t total = 256 * kMiB, std::uint64_t reserve = 0, std::uint64_t of_others = 0)
      : device([&] {
          FakeOptions options;
          options.memory = total;
          options.memory_of_others = of_others;
          return options;
        }()),
        memory(device, {.reserve = reserve}) {}
};

TEST(Memory, SmallArraysShareASlabAndDoNotOverlap) {
  Rig rig;
  std::set<Address> addresses;
  for (int i = 0; i < 100; ++i) {
    const auto address = rig.memory.allocate(1000);
    EXPECT_EQ(address % Memory::kAlignment, 0u);
    for (const auto other : addresses) EXPECT_TRUE(address + 1000 <= other || other + 1000 <= address);
    addresses.insert(address);
  }
  EXPECT_EQ(rig.memory.slab_count(), 1u);
  EXPECT_EQ(rig.memory.used(), 100 * 1024u);
}

TEST(Memory, ALargeArrayHasItsOwnSlabWithRoomAround) {
  Rig rig;
  const auto a = rig.memory.allocate(10 * kMiB + 1), b = rig.memory.allocate(10 * kMiB);
  EXPECT_EQ(rig.memory.slab_count(), 2u);
  EXPECT_EQ(rig.memory.taken(), 22 * kMiB);
  EXPECT_GE(b, a + 12 * kMiB + HostWindow::kGranularity);
}

TEST(Memory, FreedRangesJoinAndAreUsedAgain) {
  Rig rig;
  const auto a = rig.memory.allocate(kMiB), b = rig.memory.allocate(kMiB), c = rig.memory.allocate(kMiB),
             d = rig.memory.allocate(kMiB);
  rig.memory.free(a);
  rig.memory.free(c);
  rig.memory.free(b);
  EXPECT_EQ(rig.memory.allocate(3 * kMiB / 2), a);
  rig.memory.free(d);
  EXPECT_EQ(rig.memory.slab_count(), 1u);
}

TEST(Memory, TheSmallestRangeThatFitsIsCutAndTheFirstOfEqualOnes) {
  Rig rig;
  std::vector<Address> all;
  for (const std::uint64_t size : {8, 1, 4, 1, 2, 1, 4, 1}) all.push_back(rig.memory.allocate(size * 1024));
  for (const std::size_t i : {0, 2, 4, 6}) rig.memory.free(all[i]);
  EXPECT_EQ(rig.memory.allocate(1536), all[4]);
  EXPECT_EQ(rig.memory.allocate(512), all[4] + 1536);
  EXPECT_EQ(rig.memory.allocate(3 * 1024), all[2]);
  EXPECT_EQ(rig.memory.allocate(4 * 1024), all[6]);
  EXPECT_EQ(rig.memory.allocate(5 * 1024), all[0]);
}

TEST(Memory, ALimitCountsWhatSlabsTakeAndSaysWhatToDo) {
  Rig rig;
  const auto before = rig.memory.allocate(1000, "before");
  rig.memory.limit(16 * kMiB);
  const auto a = rig.memory.allocate(8 * kMiB, "a");
  try {
    rig.memory.allocate(6 * kMiB, "b");
    FAIL() << "more than the limit";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::memory);
    EXPECT_EQ(error.message,
              "b needs 6.0 MiB, but 4.0 MiB are left of the 16.0 MiB that arrays may take (%config memory)");
    EXPECT_EQ(
        error.advice,
        "Free arrays with %free, or raise the limit: %config memory 32MiB. a holds 8.0 MiB, before holds 1.0 KiB.");
  }
  EXPECT_NO_THROW(rig.memory.allocate(3 * kMiB));  // a smaller slab than the next one would be
  EXPECT_LE(rig.memory.taken(), 16 * kMiB);
  rig.memory.free(a);
  EXPECT_NO_THROW(rig.memory.allocate(8 * kMiB));  // in the place of a
  rig.memory.limit(kMiB);                          // what is there stays
  EXPECT_THROW(rig.memory.allocate(8 * kMiB), Error);
  rig.memory.free(before);
  rig.memory.limit(0);
  EXPECT_NO_THROW(rig.memory.allocate(100 * kMiB));
}

// Whatever is freed in whatever order is whole again in the end.
TEST(Memory, ManyRangesJoinInAnyOrder) {
  Rig rig;
  const auto first = rig.memory.allocate(kMiB);
  rig.memory.free(first);
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::map<Address, std::uint64_t> held;
    for (int i = 0; i < 200; ++i) {
      if (!held.empty() && random() % 3 == 0) {
        const auto one = std::next(held.begin(), static_cast<std::ptrdiff_t>(random() % held.size()));
        rig.memory.free(one->first);
        held.erase(one);
        continue;
      }
      const auto size = (1 + random() % 8) * Memory::kAlignment;
      const auto address = rig.memory.allocate(size);
      const auto after = held.lower_bound(address);
      EXPECT_TRUE(after == held.end() || address + size <= after->first);
      EXPECT_TRUE(after == held.begin() || std::prev(after)->first + std::prev(after)->second <= address);
      held.emplace(address, size);
    }
    std::vector<Address> order;
    for (const auto& [address, size] : held) order.push_back(address);
    std::shuffle(order.begin(), order.end(), random);
    for (const auto address : order) rig.memory.free(address);
    EXPECT_EQ(rig.memory.used(), 0u);
    EXPECT_EQ(rig.memory.allocate(kMiB), first);
    rig.memory.free(first);
  }
}

TEST(Memory, WhatOtherStreamsUseWaitsForASynchronisation) {
  Rig rig;
  const auto a = rig.memory.allocate(kMiB);
  rig.memory.free(a, Memory::Reuse::after_synchronisation);
  const auto b = rig.memory.allocate(kMiB);
  EXPECT_NE(a, b);
  rig.memory.synchronized();
  EXPECT_EQ(rig.memory.allocate(kMiB), a);
}

TEST(Memory, EmptySlabsAreGivenBack) {
  Rig rig;
  const auto before = rig.device.info().memory_free;
  const auto a = rig.memory.allocate(20 * kMiB);
  rig.memory.free(a);
  EXPECT_LT(rig.device.info().memory_free, before);
  rig.memory.synchronized();
  EXPECT_EQ(rig.device.info().memory_free, before);
  EXPECT_EQ(rig.memory.taken(), 0u);
}

TEST(Memory, ALargeArraysSlabIsCutOnlyWhereLittleIsLost) {
  Rig rig;
  const auto a = rig.memory.allocate(20 * kMiB);
  rig.memory.free(a);
  EXPECT_NE(rig.memory.allocate(14 * kMiB), a);  // 6 MiB would be lost, more than a quarter
  EXPECT_EQ(rig.memory.allocate(16 * kMiB), a);  // 4 MiB are
  EXPECT_EQ(rig.memory.slab_count(), 2u);
}

// A run past the end of one slab faults and does not reach the next, in a hole, too.
TEST(Memory, AHoleKeepsItsGapsWhenItIsFilled) {
  Rig rig;
  const auto gap = HostWindow::kGranularity;
  const auto a = rig.memory.allocate(10 * kMiB), b = rig.memory.allocate(10 * kMiB), c = rig.memory.allocate(10 * kMiB);
  EXPECT_EQ(b, a + 10 * kMiB + gap);
  EXPECT_EQ(c, b + 10 * kMiB + gap);
  rig.memory.free(b);
  rig.memory.synchronized();
  const auto wide = rig.memory.allocate(10 * kMiB + gap);  // with it there would be no gap before c
  EXPECT_GT(wide, c);
  EXPECT_EQ(rig.memory.allocate(10 * kMiB), b);
}

TEST(Memory, TooMuchSaysWhatIsFreeAndWhoHoldsIt) {
  Rig rig(64 * kMiB, 8 * kMiB);
  rig.memory.allocate(10 * kMiB, "small");
  rig.memory.allocate(30 * kMiB, "large");
  try {
    rig.memory.allocate(20 * kMiB, "x");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::memory);
    EXPECT_EQ(error.message, "x needs 20.0 MiB, but 16.0 MiB are free on Fake device");
    EXPECT_EQ(error.advice, "large holds 30.0 MiB, small holds 10.0 MiB.");
  }
  rig.memory.allocate(16 * kMiB, "fits");
  EXPECT_GE(rig.device.info().memory_free, 8 * kMiB);  // the reserve
}

TEST(Memory, TooMuchSaysThatOthersHoldMemory) {
  Rig rig(64 * kMiB, 0, 60 * kMiB);
  try {
    rig.memory.allocate(20 * kMiB, "x");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message, "x needs 20.0 MiB, but 4.0 MiB are free on Fake device");
    EXPECT_TRUE(error.advice.find("Other processes hold memory of it: `nvidia-smi` lists them.") != std::string::npos);
  }
}

TEST(Memory, WhatIsKeptFreeMayChange) {
  Rig rig(64 * kMiB);
  rig.memory.keep_free(16 * kMiB);
  EXPECT_THROW(rig.memory.allocate(50 * kMiB), Error);
  rig.memory.keep_free(0);
  EXPECT_NO_THROW(rig.memory.allocate(50 * kMiB));
}

TEST(Memory, ADeviceWithoutTheMemoryOfOthersSaysSo) {
  Rig rig;
  try {
    rig.memory.borrow({{}, {std::byte{1}}, 0});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::unsupported);
  }
  EXPECT_FALSE(rig.memory.is_borrowed(0));
}

TEST(Memory, EmptySlabsAreGivenBackBeforeAnArrayIsRefused) {
  Rig rig(64 * kMiB);
  rig.memory.free(rig.memory.allocate(40 * kMiB));
  EXPECT_NO_THROW(rig.memory.allocate(60 * kMiB));
}

TEST(Memory, ASmallArrayStillFitsOnAFullDevice) {
  Rig rig(16 * kMiB);
  rig.memory.allocate(14 * kMiB);
  EXPECT_NO_THROW(rig.memory.allocate(1000));  // a slab of 2 MiB instead of 4
}

TEST(Memory, NothingAndTooMuchForTheWindow) {
  Rig rig;
  EXPECT_THROW(rig.memory.allocate(0), Error);
  EXPECT_THROW(rig.memory.allocate(~std::uint64_t{0}), Error);
  EXPECT_THROW(rig.memory.free(123), Error);
}

TEST(Memory, MovesWithItsWindow) {
  Rig rig;
  const auto a = rig.memory.allocate(1000, "a");
  auto window = rig.device.info().window;
  const auto old = window.base;
  window.base += 64 * kMiB;
  rig.memory.move_window(window);
  ASSERT_EQ(rig.memory.holders().size(), 1u);
  EXPECT_EQ(rig.memory.holders()[0].address, a - old + window.base);
  rig.memory.free(a - old + window.base);
  EXPECT_EQ(rig.memory.used(), 0u);
}

class Transfers : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Transfers, BringBackWhatTheyTook) {
  Rig rig;
  const auto bytes = GetParam();
  const auto address = rig.memory.allocate(bytes);
  std::vector<std::byte> data(bytes), back(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 31 + i / 256);
  std::uint64_t last = 0;
  Transfer transfer(rig.device, {.progress = [&](std::uint64_t done, std::uint64_t total) {
                      EXPECT_GT(done, last);
                      EXPECT_EQ(total, bytes);
                      last = done;
                    }});
  transfer.write({.address = address, .width = bytes}, data);
  EXPECT_EQ(last, bytes);
  last = 0;
  transfer.read({.address = address, .width = bytes}, back);
  EXPECT_EQ(last, bytes);
  EXPECT_EQ(data, back);
}
// Around the halves of a staging buffer of 1 MiB.
INSTANTIATE_TEST_SUITE_P(Sizes, Transfers,
                         testing::Values(1, 4096, kMiB / 2 - 1, kMiB / 2, kMiB / 2 + 1, kMiB, 5 * kMiB / 2,
                                         20 * kMiB + 17));

TEST(Transfer, RowsApart) {
  Rig rig;
  const auto address = rig.memory.allocate(20 * kMiB);
  for (const std::uint64_t width :
       {std::uint64_t{3}, std::uint64_t{700}, kMiB}) {  // many rows a piece, and many pieces a row
    const std::uint64_t height = 5 * kMiB / width / 2, pitch = width + 5;
    std::vector<std::byte> data(width * height), back(data.size()), whole(pitch * height);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 7 + 1);
    rig.device.post_fill(StreamId{0}, {address, pitch * height, {std::byte{0xEE}}});
    Transfer transfer(rig.device);
    transfer.write({address, width, height, pitch}, data);
    transfer.read({address, width, height, pitch}, back);
    EXPECT_EQ(data, back) << width;
    transfer.read({.address = address, .width = whole.size()}, whole);
    EXPECT_EQ(whole[width], std::byte{0xEE});
    EXPECT_EQ(whole[(height - 1) * pitch], data[(height - 1) * width]);
  }
}

TEST(Transfer, AnInterruptEndsIt) {
  Rig rig;
  const auto address = rig.memory.allocate(10 * kMiB);
  std::vector<std::byte> data(10 * kMiB);
  Interrupt interrupt;
  Transfer transfer(rig.device, {.interrupt = &interrupt, .progress = [&](std::uint64_t done, std::uint64_t) {
                                   if (done > 3 * kMiB) interrupt.raise();
                                 }});
  EXPECT_THROW(transfer.write({.address = address, .width = data.size()}, data), Error);
}

TEST(Transfer, AFaultIsAnError) {
  Rig rig;
  std::vector<std::byte> data(100);
  EXPECT_THROW(Transfer(rig.device).write({.address = 8, .width = 100}, data), Error);
}

// --- Several devices ------------------------------------------------------------------------------------------------

TEST(Placement, PartsLieSideBySideOnPiecesOfTheirOwn) {
  Rig rig;
  const auto x = rig.memory.allocate(Placement{{{0, 5 * kMiB}, {1, 4 * kMiB}, {2, 1 * kMiB}}}, "x");
  std::vector<std::uint64_t> sizes;
  Address next = x;
  for (const auto& piece : rig.memory.pieces()) {
    EXPECT_EQ(piece.address, next);
    next += piece.size;
    sizes.push_back(piece.size / kMiB);
  }
  EXPECT_EQ(sizes, (std::vector<std::uint64_t>{6, 4}));  // the last part is less than half a granule
  EXPECT_EQ(rig.memory.used(), 10 * kMiB);
  EXPECT_EQ(rig.memory.allocation_of(x + 7 * kMiB).begin, x);
  const auto y = rig.memory.allocate(Placement{{{1, 100}}}, "y");
  EXPECT_GE(y, next + HostWindow::kGranularity);
  rig.memory.free(x);
  EXPECT_EQ(rig.memory.allocation_of(x).bytes, 0u);
  rig.memory.synchronized();
  EXPECT_EQ(rig.memory.slab_count(), 1u);
  EXPECT_EQ(rig.memory.taken(), 2 * kMiB);
}

TEST(Placement, WhatCannotBeHadLeavesNothing) {
  Rig rig(16 * kMiB);
  EXPECT_THROW(rig.memory.allocate(Placement{{{0, 10 * kMiB}, {1, 10 * kMiB}}}), Error);
  EXPECT_EQ(rig.memory.used(), 0u);
  rig.memory.synchronized();
  EXPECT_EQ(rig.memory.slab_count(), 0u);
  rig.memory.limit(4 * kMiB);
  EXPECT_THROW(rig.memory.allocate(Placement{{{0, 4 * kMiB}, {1, 4 * kMiB}}}), Error);
  EXPECT_THROW(rig.memory.allocate(Placement{{{0, 0}, {1, 0}}}), Error);
}

TEST(Placement, TheFirstDeviceNeedsNoPieces) {
  Rig rig;
  const auto a = rig.memory.allocate(Placement{{{0, 1000}}}), b = rig.memory.allocate(1000);
  EXPECT_EQ(rig.memory.slab_count(), 1u);
  EXPECT_EQ(b, a + 1024);
}

TEST(Placement, ReplicasAreFreedTogether) {
  Rig rig;
  const auto x = rig.memory.allocate_replicas(1000, 3, "x");
  const auto copies = rig.memory.copies_of(x + 999);
  ASSERT_EQ(copies.size(), 3u);
  EXPECT_EQ(copies[0], x);
  EXPECT_EQ(rig.memory.copy_on(2, x + 4), copies[2] + 4);
  EXPECT_EQ(rig.memory.copy_on(2, x - 1), x - 1);
  EXPECT_TRUE(rig.memory.copies_of(rig.memory.allocate(1000)).empty());
  EXPECT_TRUE(rig.memory.copies_of(x + 5000000).empty());
  rig.memory.free(x);
  rig.memory.synchronized();
  EXPECT_EQ(rig.memory.used(), 1024u);
  EXPECT_EQ(rig.memory.slab_count(), 3u);  // one of each device is kept
}

TEST(Placement, SmallArraysOfADeviceShareASlab) {
  Rig rig;
  const auto a = rig.memory.allocate(Placement{{{1, 1000}}}), b = rig.memory.allocate(Placement{{{1, 10}}});
  EXPECT_EQ(b, a + 1024);
  const auto c = rig.memory.allocate(Placement{{{2, 10}}});
  EXPECT_TRUE(c < a || c > a + 2 * kMiB);
  EXPECT_EQ(rig.memory.slab_count(), 2u);
  rig.memory.free(a);
  rig.memory.free(b);
  rig.memory.synchronized();
  EXPECT_EQ(rig.memory.allocate(Placement{{{1, 2000}}}), a);
}

TEST(Placement, ReplicasThatDoNotAllFitAreNone) {
  Rig rig(16 * kMiB);
  EXPECT_THROW(rig.memory.allocate_replicas(6 * kMiB, 3, "x"), Error);
  EXPECT_EQ(rig.memory.used(), 0u);
  EXPECT_TRUE(rig.memory.holders().empty());
}

}  // namespace
}  // namespace xcuda::device
