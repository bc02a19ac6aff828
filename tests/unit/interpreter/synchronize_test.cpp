// What the session makes of a synchronisation that did not go well, with a device that does as it is told.
#include <gtest/gtest.h>

#include "session/failures.hpp"
#include "tests/unit/interpreter/session_fixture.hpp"

namespace xcuda::interpreter {
namespace {

using device::FakeDevice;
using device::FakeLaunch;
using device::FakeOptions;

// A session on a fake device with one module, whose launches a test posts by hand.
class Synchronize : public testing::Test {
 protected:
  void start(FakeOptions options) {
    options.kernels["work"] = [this](FakeLaunch&) -> std::optional<device::Fault> {
      if (++ran_ == interrupt_after_) session_->interrupt_flag().raise();
      return std::nullopt;
    };
    SessionParts parts;
    parts.devices.push_back(
        {{}, "", [options](const OutputHandler&) { return std::make_unique<FakeDevice>(options); }});
    session_.emplace(std::move(parts), commands_);
    session_->device().load_module({device::ModuleId{1}, "In[1]", ".entry work\n", {}, {}});
  }

  void launch(int line, device::Dim3 block = {}) {
    device::LaunchRequest request;
    request.module = device::ModuleId{1};
    request.entry = "work";
    request.block = block;
    const auto* const statement = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(line));
    const auto site = session_->launches().site(statement, "work", {}, [&] {
      return LaunchSite{statement,
                        "work",
                        "work<<<1, " + std::to_string(line) + ">>>()",
                        Place{.source = "In[1]", .line = line, .column = 1},
                        {}};
    });
    session_->submission().launch(device::LaunchRequest(request), site);
  }

  NoCommands commands_;
  std::optional<Session> session_;
  int ran_ = 0, interrupt_after_ = -1;
};

struct Shown final : Sink {
  void stream(OutputStream, std::string_view) override {}
  void display(const display::Bundle& bundle) override { text += display::plain(bundle) + "\n"; }
  void result(const display::Bundle& bundle) override { display(bundle); }
  void page(const display::Bundle&) override {}
  std::string text;
};

TEST(Memory, ThatEndsWithItsProcessIsToldOnce) {
  NoCommands commands;
  SessionParts parts;
  parts.devices.push_back({{}, "", [](const OutputHandler&) {
                             FakeOptions options;
                             options.memory_kind = FakeOptions::Memory::ends_with_device;
                             return std::make_unique<FakeDevice>(options);
                           }});
  Session session(std::move(parts), commands);
  Shown shown;
  EXPECT_FALSE(interpreter::run_cell(session, {"int x[4];", "In[1]", {}}, shown));
  EXPECT_NE(shown.text.find("arrays will not survive a fault"), std::string::npos) << shown.text;
  shown.text.clear();
  EXPECT_FALSE(interpreter::run_cell(session, {"int y[4];", "In[2]", {}}, shown));
  EXPECT_EQ(shown.text, "");
}

TEST_F(Synchronize, SkippedLaunchesAreAnInterrupt) {
  start({});
  interrupt_after_ = 2;
  for (int line = 1; line <= 5; ++line) launch(line);
  try {
    session_->submission().synchronize();
    FAIL() << "the cell would go on with three launches missing";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::interrupted);
    ASSERT_TRUE(error.place);
    EXPECT_EQ(error.place->line, 3);
    ASSERT_EQ(error.notes.size(), 1u);
    EXPECT_EQ(error.notes[0], "3 launches did not run, from this one on: work<<<1, 3>>>().");
  }
  EXPECT_EQ(ran_, 2);
  EXPECT_TRUE(session_->launches().empty());

  session_->interrupt_flag().clear();  // as the next cell does
  launch(6);
  EXPECT_NO_THROW(session_->submission().synchronize());
  EXPECT_EQ(ran_, 3);
}

TEST_F(Synchronize, AnInterruptAfterTheLastLaunchLosesNothing) {
  start({});
  interrupt_after_ = 2;
  launch(1);
  launch(2);
  EXPECT_NO_THROW(session_->submission().synchronize());
}

TEST_F(Synchronize, ARefusedLaunchIsToldAtItsLine) {
  start({});
  launch(1);
  launch(2, {4096, 1, 1});
  try {
    session_->submission().synchronize();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::launch);
    ASSERT_TRUE(error.place);
    EXPECT_EQ(error.place->line, 2);
  }
}

// A slab that became empty is given back at a synchronisation. After a fault that call fails, and the fault is the
// news.
TEST_F(Synchronize, AFaultIsToldAlthoughMemoryCannotBeGivenBack) {
  FakeOptions options;
  device::Fault fault;
  fault.kind = device::FaultKind::trap;
  fault.library = "as the test wanted";
  options.faults = {{1, fault}};
  start(std::move(options));
  Shown shown;
  CellRun run{{"In[1]", ""}, {}, shown};
  const auto big =
      session_->arrays().allocate(run, {.name = "big", .type = type_of(Scalar::float32), .shape = {64 << 20}});
  session_->arrays().free_memory(big);
  launch(1);
  try {
    session_->submission().synchronize();
    FAIL();
  } catch (const DeviceFailure& failure) {
    EXPECT_EQ(failure.fault.fault.kind, device::FaultKind::trap);
    EXPECT_EQ(failure.fault.launch, "work<<<1, 1>>>()");
  }
}

}  // namespace
}  // namespace xcuda::interpreter
