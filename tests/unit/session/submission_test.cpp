// What every post carries with it, on a device that keeps what it is told.
#include "session/submission.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "device/fake.hpp"
#include "session/session.hpp"

namespace xcuda::session {
namespace {

using device::FakeDevice;
using device::FakeLaunch;
using device::FakeOptions;

struct Silent final : Commands {
  void run(Session&, CellRun&, const cell::Magic&) override {}
  void help(Session&, CellRun&, const cell::Help&, cell::Span) override {}
  void shell(Session&, CellRun&, const cell::Shell&, cell::Span) override {}
};

struct Nowhere final : Sink {
  void stream(OutputStream, std::string_view) override {}
  void display(const display::Bundle&) override {}
  void result(const display::Bundle&) override {}
  void page(const display::Bundle&) override {}
};

class SubmissionTest : public testing::Test {
 protected:
  SubmissionTest() {
    FakeOptions options;
    options.kernels["work"] = [this](FakeLaunch&) -> std::optional<device::Fault> {
      ++ran_;
      return std::nullopt;
    };
    SessionParts parts;
    parts.devices.push_back(
        {{}, "", [options](const OutputHandler&) { return std::make_unique<FakeDevice>(options); }});
    session_.emplace(std::move(parts), commands_);
    session_->device().load_module({device::ModuleId{1}, "In[1]", ".entry work\n", {}, {}});
  }

  Array array(const std::string& name) {
    return session_->arrays().define(session_->arrays().allocate(run_, {name, *find_type("int"), {4}}));
  }
  std::uint64_t launch(std::vector<ArrayUse> uses = {}) {
    device::LaunchRequest request;
    request.module = device::ModuleId{1};
    request.entry = "work";
    const auto site = session_->launches().site(this, "work", uses, [&] {
      return LaunchSite{this, "work", "work()", {}, uses};
    });
    return session_->submission().launch(device::LaunchRequest(request), site);
  }
  int first_of(const Array& array) {
    int value = 0;
    session_->submission().read(array.address, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }

  Silent commands_;
  Nowhere sink_;
  CellRun run_{{"In[1]", ""}, {}, sink_};
  int ran_ = 0;
  std::optional<Session> session_;
};

TEST_F(SubmissionTest, ALaunchIsInTheLogUntilItsEndIsKnown) {
  auto& submission = session_->submission();
  EXPECT_FALSE(submission.pending());
  const auto number = launch();
  EXPECT_EQ(launch(), number + 1);
  EXPECT_TRUE(submission.pending());
  ASSERT_NE(session_->launches().find(number), nullptr);
  EXPECT_EQ(session_->launches().find(number)->text, "work()");
  submission.synchronize();
  EXPECT_EQ(ran_, 2);
  EXPECT_TRUE(session_->launches().empty());
  EXPECT_FALSE(submission.pending());
}

// After so many launches the submission waits by itself, and forgets those that ran: not the statement that goes on.
TEST_F(SubmissionTest, AStatementKeepsItsPlaceHoweverOftenItLaunches) {
  const auto site = session_->launches().site(this, "work", {}, [&] {
    return LaunchSite{this, "work", "work()", {}, {{"x", "out", 16, true, true}}};
  });
  device::LaunchRequest request;
  request.module = device::ModuleId{1};
  request.entry = "work";
  std::uint64_t number = 0;
  for (int i = 0; i < 20'000; ++i) number = session_->submission().launch(device::LaunchRequest(request), site);
  ASSERT_NE(session_->launches().find(number), nullptr);
  EXPECT_EQ(session_->launches().find(number)->text, "work()");
  EXPECT_EQ(session_->launches().possibly_written(), std::vector<std::string>{"x"});
  session_->submission().synchronize();
  EXPECT_EQ(ran_, 20'000);
}

TEST_F(SubmissionTest, FillsAndCopiesArePostedAndReadsWait) {
  const auto x = array("x"), y = array("y");
  auto& submission = session_->submission();
  const int seven = 7;
  const auto* bytes = reinterpret_cast<const std::byte*>(&seven);
  submission.fill({x.address, x.count, {bytes, bytes + sizeof seven}});
  submission.copy(y.address, x.address, x.bytes());
  EXPECT_TRUE(submission.pending());
  EXPECT_EQ(first_of(y), 7);
  EXPECT_FALSE(submission.pending());
}

TEST_F(SubmissionTest, ACaptureIsToldWhatIsWritten) {
  const auto x = array("x"), y = array("y"), z = array("z"), untouched = array("untouched");
  Capture capture(*session_);
  auto& submission = session_->submission();
  launch({{"x", "out", x.bytes(), true, true}, {"untouched", "in", x.bytes(), true, false}});
  submission.fill({y.address + 4, 1, std::vector<std::byte>(4)});
  submission.write(z.address, std::vector<std::byte>(4));
  EXPECT_EQ(capture.written(), (std::set<device::Address>{x.address, y.address, z.address}));
  EXPECT_THROW(submission.synchronize(), Error);
  EXPECT_THROW(first_of(untouched), Error);
}

TEST_F(SubmissionTest, WorkTakesTimeOfTheLimitAndTransfersDoNot) {
  const auto x = array("x");
  auto& submission = session_->submission();
  submission.time_limit().set(1000);
  submission.write(x.address, std::vector<std::byte>(16));
  EXPECT_FALSE(submission.wait_request().deadline);
  launch();
  EXPECT_TRUE(submission.wait_request().deadline);
  submission.synchronize();
  EXPECT_FALSE(submission.wait_request().deadline);
}

TEST(TimeLimit, IsOfWhatIsUnderWay) {
  TimeLimit limit;
  limit.run();
  EXPECT_FALSE(limit.deadline());  // none is set
  limit.set(1000);
  EXPECT_FALSE(limit.deadline());
  limit.run();
  const auto first = limit.deadline();
  ASSERT_TRUE(first);
  limit.run();
  EXPECT_EQ(limit.deadline(), first);  // what comes later is under way, too
  limit.stop();
  EXPECT_FALSE(limit.deadline());
  limit.run();
  EXPECT_GE(*limit.deadline(), *first);  // the time between did not count
  // What was under way did.
  const auto begun = TimeLimit::Clock::now();
  const auto second = limit.deadline();
  while (TimeLimit::Clock::now() - begun < std::chrono::milliseconds(20)) continue;
  const auto before = TimeLimit::Clock::now();
  limit.stop();
  limit.run();
  EXPECT_LE(*limit.deadline() - *second, TimeLimit::Clock::now() - before);
  limit.set(0);
  limit.run();
  EXPECT_FALSE(limit.deadline());
}

}  // namespace
}  // namespace xcuda::session
