#include "session/timeline.hpp"

#include <gtest/gtest.h>

#include "device/fake.hpp"
#include "session/session.hpp"

namespace xcuda::session {
namespace {

struct NoCommands final : Commands {
  void run(Session&, CellRun&, const cell::Magic&) override {}
  void help(Session&, CellRun&, const cell::Help&, cell::Span) override {}
  void shell(Session&, CellRun&, const cell::Shell&, cell::Span) override {}
};

class TimelineTest : public testing::Test {
 protected:
  TimelineTest() : session_(parts(), commands_) {}
  static SessionParts parts() {
    device::FakeOptions options;
    SessionParts parts;
    parts.devices.push_back(
        {{}, "", [options](const OutputHandler&) { return std::make_unique<device::FakeDevice>(options); }});
    return parts;
  }
  NoCommands commands_;
  Session session_;
};

TEST_F(TimelineTest, WorkIsBetweenItsEvents) {
  auto& submission = session_.submission();
  const auto address = session_.chosen().memory().allocate(64);
  Timeline timeline(session_.streams(), 1);
  submission.record(timeline.origin(0), device::StreamId{0});
  session_.launches().record(&timeline);
  submission.fill({address, 16, std::vector<std::byte>(4)});
  submission.copy(address + 32, address, 8);
  session_.launches().record(nullptr);
  submission.fill({address, 16, std::vector<std::byte>(4)});  // after the end
  submission.synchronize();
  ASSERT_EQ(timeline.entries().size(), 2u);
  EXPECT_EQ(timeline.entries()[0].kind, Timeline::Kind::fill);
  EXPECT_EQ(timeline.entries()[0].bytes, 64u);
  EXPECT_EQ(timeline.entries()[1].kind, Timeline::Kind::copy);
  EXPECT_EQ(timeline.entries()[1].bytes, 8u);
  device::Nanoseconds last = 0;
  for (const auto& entry : timeline.entries())
    for (const auto event : {entry.begin, entry.end}) {
      const auto at = session_.device().elapsed(timeline.origin(0), event);
      EXPECT_GT(at, last);
      last = at;
    }
}

TEST_F(TimelineTest, MoreThanTheMostIsCounted) {
  Timeline timeline(session_.streams(), 1);
  for (std::size_t i = 0; i < Timeline::kMost; ++i) ASSERT_NE(timeline.add({}), nullptr);
  EXPECT_EQ(timeline.add({}), nullptr);
  EXPECT_EQ(timeline.entries().size(), Timeline::kMost);
  EXPECT_EQ(timeline.left_out(), 1u);
}

TEST_F(TimelineTest, TheEventsAreMadeOnce) {
  const auto first = session_.streams().timing_events(3);
  EXPECT_EQ(session_.streams().timing_events(3), first);
  EXPECT_EQ(session_.streams().timing_events(5)[2], first[2]);
}

TEST_F(TimelineTest, StreamsHaveTheirNames) {
  const auto id = session_.streams().stream("copies");
  EXPECT_EQ(session_.streams().name_of(id), "copies");
  EXPECT_EQ(session_.streams().name_of(device::StreamId{0}), "default stream");
}

}  // namespace
}  // namespace xcuda::session
