#include "device/remote/ring.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <thread>

namespace xcuda::device::remote {
namespace {

struct Ends {
  File file = make_shared_area();
  AreaMapping here{file}, there{file};
  RingWriter writer{*here};
  RingReader reader{*there};
  File doorbell{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};

  bool post(Verb verb, const std::vector<std::byte>& payload) { return writer.try_post(verb, payload, doorbell); }
};

std::vector<std::byte> payload_of(std::size_t size, unsigned seed) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 3 + seed);
  return bytes;
}

TEST(Ring, RecordsComeOutAsTheyWentIn) {
  Ends ends;
  Verb verb{};
  std::vector<std::byte> payload;
  EXPECT_EQ(ends.reader.take(verb, payload), RingReader::Take::empty);
  for (unsigned i = 0; i < 100'000; ++i) {  // many times around
    const auto size = i % 997;
    ASSERT_TRUE(ends.post(Verb::post_fill, payload_of(size, i)));
    if (i % 3 == 0) {
      ASSERT_TRUE(ends.post(Verb::post_wait, {}));
    }
    ASSERT_EQ(ends.reader.take(verb, payload), RingReader::Take::record);
    ASSERT_EQ(verb, Verb::post_fill);
    ASSERT_EQ(payload, payload_of(size, i));
    if (i % 3 != 0) continue;
    ASSERT_EQ(ends.reader.take(verb, payload), RingReader::Take::record);
    ASSERT_EQ(verb, Verb::post_wait);
    ASSERT_TRUE(payload.empty());
  }
  EXPECT_EQ(ends.reader.position(), ends.writer.position());
}

TEST(Ring, IsFullAndThenNot) {
  Ends ends;
  const auto large = payload_of(kLargestPost, 1);
  int posted = 0;
  while (ends.post(Verb::post_copy, large)) ++posted;
  EXPECT_EQ(posted, 3);  // four, less their heads
  Verb verb{};
  std::vector<std::byte> payload;
  EXPECT_EQ(ends.reader.take(verb, payload), RingReader::Take::record);
  EXPECT_EQ(payload, large);
  EXPECT_TRUE(ends.post(Verb::post_copy, payload_of(1000, 2)));
}

TEST(Ring, TheDoorbellRingsForASleeperOnly) {
  Ends ends;
  const auto rung = [&] {
    std::uint64_t value = 0;
    return read(ends.doorbell.get(), &value, sizeof value) == sizeof value;
  };
  ends.post(Verb::post_wait, {});
  EXPECT_FALSE(rung());
  EXPECT_FALSE(ends.reader.announce_sleep());  // there is something to do
  Verb verb{};
  std::vector<std::byte> payload;
  ends.reader.take(verb, payload);
  EXPECT_TRUE(ends.reader.announce_sleep());
  ends.post(Verb::post_wait, {});
  EXPECT_TRUE(rung());
  ends.post(Verb::post_wait, {});
  EXPECT_FALSE(rung());
}

TEST(Ring, TwoThreadsAgree) {
  Ends ends;
  constexpr unsigned kCount = 200'000;
  std::thread writer([&] {
    for (unsigned i = 0; i < kCount; ++i) {
      const auto bytes = payload_of(i % 61, i);
      while (!ends.post(Verb::post_fill, bytes)) std::this_thread::yield();
    }
  });
  Verb verb{};
  std::vector<std::byte> payload;
  unsigned wrong = 0;
  for (unsigned i = 0; i < kCount; ++i) {
    while (ends.reader.take(verb, payload) == RingReader::Take::empty) {
      if (!ends.reader.announce_sleep()) continue;
      pollfd item{ends.doorbell.get(), POLLIN, 0};
      poll(&item, 1, -1);
      std::uint64_t value = 0;
      (void)!read(ends.doorbell.get(), &value, sizeof value);
      ends.reader.announce_waking();
    }
    wrong += payload != payload_of(i % 61, i);
  }
  writer.join();
  EXPECT_EQ(wrong, 0u);
}

TEST(Ring, GarbageIsSeen) {
  Ends ends;
  ends.post(Verb::post_wait, {});
  ends.here->ring[0] = std::byte{0xFF};  // a size that cannot be
  ends.here->ring[3] = std::byte{0xFF};
  Verb verb{};
  std::vector<std::byte> payload;
  EXPECT_EQ(ends.reader.take(verb, payload), RingReader::Take::broken);
}

TEST(Ring, AVerbThatThereIsNotIsSeen) {
  Ends ends;
  ends.post(Verb::post_wait, {});
  ends.here->ring[4] = std::byte{0xFE};  // the record's second word
  Verb verb{};
  std::vector<std::byte> payload;
  EXPECT_EQ(ends.reader.take(verb, payload), RingReader::Take::broken);
}

TEST(FaultRecord, CarriesAFault) {
  Ends ends;
  EXPECT_FALSE(read_fault(ends.here->fault));
  Fault fault;
  fault.kind = FaultKind::out_of_bounds;
  fault.launches = {7};
  fault.message = std::string(5000, 'm');  // cut
  fault.array = "x";
  fault.element = -3;
  fault.block = Dim3{1, 2, 3};
  fault.thread = Dim3{4, 5, 6};
  write_fault(ends.there->fault, fault);
  write_fault(ends.there->fault, Fault{});  // the first one counts
  const auto read = read_fault(ends.here->fault);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, FaultKind::out_of_bounds);
  EXPECT_EQ(read->launches, fault.launches);
  EXPECT_EQ(read->message, std::string(1023, 'm'));
  EXPECT_EQ(read->array, "x");
  EXPECT_EQ(read->element, -3);
  EXPECT_EQ(read->thread, fault.thread);
  EXPECT_FALSE(read->address);
}

}  // namespace
}  // namespace xcuda::device::remote
