// What a set of devices has that one device has not: work on each, memory of each, one process lost.
#include "device/device_set.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "device/memory.hpp"
#include "device/remote/supervised_device.hpp"
#include "device/transfer.hpp"
#include "tests/contract/fake_kernels.hpp"
#include "tests/contract/rig.hpp"
#include "tests/places.hpp"

namespace xcuda::device::contract {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

struct Trio {
  std::unique_ptr<DeviceSet> set;
  std::unique_ptr<Memory> memory;
  std::uint64_t number = 0;

  // Of the last member.
  using Environment = std::vector<std::pair<std::string, std::string>>;
  explicit Trio(const Environment& environment = {}) {
    std::vector<std::unique_ptr<Device>> members;
    for (int i = 0; i < 3; ++i) {
      remote::RemoteOptions options;
      options.worker.program = test::program_file("fake_worker");
      if (i == 2) options.worker.environment = environment;
      options.worker.spin = 1ms;
      options.staging_size = 1 << 20;
      members.push_back(std::make_unique<remote::SupervisedDevice>(std::move(options)));
    }
    set = std::make_unique<DeviceSet>(std::move(members));
  }
  void load() {
    set->load_module({ModuleId{1}, "In[1]", fake_kernels_text(), {}, {}, {}});
    memory = std::make_unique<Memory>(*set);
  }
  void fill(std::uint32_t device, Address to, std::uint32_t value) const;
  // add_one on each device in turn, which waits for the one before.
  void add_in_turn(Address x, std::uint32_t turns) {
    for (std::uint32_t i = 0; i < turns; ++i) {
      set->post_order(i % 3, (i + 2) % 3);
      launch("add_one", on_device({}, i % 3), x, 64);
    }
  }
  std::vector<int> processes() const {
    std::vector<int> all;
    for (std::uint32_t device = 0; device < 3; ++device) all.push_back(set->member(device).info().process);
    return all;
  }
  void launch(const std::string& entry, StreamId stream, Address a, std::uint32_t n = 0) {
    LaunchRequest request;
    request.number = ++number;
    request.module = ModuleId{1};
    request.entry = entry;
    request.stream = stream;
    request.block = {64, 1, 1};
    if (a != 0) {
      request.arguments.resize(entry == "endless" ? 8 : 12);
      std::memcpy(request.arguments.data(), &a, 8);
      if (request.arguments.size() == 12) std::memcpy(request.arguments.data() + 8, &n, 4);
    }
    set->post_launch(request);
  }
  std::vector<std::uint32_t> read(Address from, std::size_t count) const {
    std::vector<std::uint32_t> values(count);
    Transfer(*set).read({from, count * 4}, std::as_writable_bytes(std::span(values)));
    return values;
  }
  void kill(std::uint32_t device) const { ::kill(set->member(device).info().process, SIGKILL); }
};

FillRequest words(Address to, std::uint64_t count, std::uint32_t value) {
  FillRequest request{to, count, std::vector<std::byte>(4)};
  std::memcpy(request.pattern.data(), &value, 4);
  return request;
}

void Trio::fill(std::uint32_t device, Address to, std::uint32_t value) const {
  set->post_fill(on_device({}, device), words(to, 1, value));
}

TEST(DeviceSet, EachDeviceReachesAllMemory) {
  Trio trio;
  trio.load();
  EXPECT_EQ(trio.set->devices(), 3u);
  const auto x = trio.memory->allocate(Placement{{{0, 2 * kMiB}, {1, 2 * kMiB}, {2, 2 * kMiB}}}, "x");
  for (std::uint32_t device = 0; device < 3; ++device)
    trio.set->post_fill(on_device({}, device), words(x + device * 2 * kMiB, kMiB / 2, 10 + device));
  EXPECT_FALSE(trio.set->synchronize({}).fault);
  for (std::uint32_t device = 0; device < 3; ++device)
    EXPECT_EQ(trio.read(x + device * 2 * kMiB + kMiB, 1), std::vector{10 + device});
  // A copy over the seams, by a device that none of it lives on.
  const auto y = trio.memory->allocate(Placement{{{0, 3 * kMiB}, {2, 3 * kMiB}}}, "y");
  trio.set->post_copy(on_device({}, 1), {.to = y, .from = x, .width = 6 * kMiB});
  EXPECT_TRUE(trio.set->synchronize({}).refused.empty());
  EXPECT_EQ(trio.read(y + 2 * kMiB - 4, 2), (std::vector<std::uint32_t>{10, 11}));
  EXPECT_EQ(trio.read(y + 4 * kMiB - 4, 2), (std::vector<std::uint32_t>{11, 12}));
}

TEST(DeviceSet, LaunchesRunOnTheDeviceOfTheirStream) {
  Trio trio;
  trio.load();
  const auto x = trio.memory->allocate(4096, "x");
  trio.set->post_fill({}, words(x, 300, 0));
  EXPECT_FALSE(trio.set->synchronize({}).fault);
  const auto stream = on_device(StreamId{5}, 2);
  trio.set->create_stream(stream);
  trio.launch("add_one", on_device({}, 1), x, 64);
  trio.set->synchronize({});
  trio.launch("add_one", stream, x, 64);
  const auto completion = trio.set->synchronize({});
  EXPECT_FALSE(completion.fault);
  EXPECT_TRUE(completion.refused.empty());
  EXPECT_EQ(trio.read(x, 1), std::vector<std::uint32_t>{2});
  trio.set->destroy_stream(stream);
  EXPECT_THROW(trio.set->create_stream(on_device(StreamId{6}, 3)), Error);
}

TEST(DeviceSet, EachDeviceReadsIntoItsOwnStaging) {
  Trio trio;
  trio.load();
  const auto x = trio.memory->allocate(Placement{{{0, 2 * kMiB}, {1, 2 * kMiB}, {2, 2 * kMiB}}}, "x");
  for (std::uint32_t device = 0; device < 3; ++device)
    trio.set->post_fill(on_device({}, device), words(x + device * 2 * kMiB, 1, 10 + device));
  for (std::uint32_t device = 0; device < 3; ++device)
    trio.set->post_read(on_device({}, device), {.to = 8, .from = x + device * 2 * kMiB, .width = 4});
  trio.set->synchronize({});
  for (std::uint32_t device = 0; device < 3; ++device)
    EXPECT_EQ(trio.set->member(device).staging()[8], std::byte(10 + device));
}

TEST(DeviceSet, AnEventOfOneDeviceHoldsUpAnother) {
  Trio trio;
  trio.load();
  const auto x = trio.memory->allocate(4096, "x");
  trio.set->create_event(EventId{1});
  trio.set->create_event(EventId{2});
  for (int i = 0; i < 10; ++i)
    for (std::uint32_t device = 0; device < 3; ++device) {
      // The fake runs as late as it may, so without the wait the next one would come first.
      trio.set->post_fill(on_device({}, device), words(x, 1, static_cast<std::uint32_t>(i) * 3 + device));
      trio.set->post_record(EventId{1}, on_device({}, device));
      trio.set->post_wait(on_device({}, (device + 1) % 3), EventId{1});
    }
  trio.set->synchronize({});
  EXPECT_EQ(trio.read(x, 1), std::vector<std::uint32_t>{29});
  trio.set->post_record(EventId{2}, {});
  trio.set->post_record(EventId{1}, on_device({}, 1));
  trio.set->synchronize({});
  try {
    trio.set->elapsed(EventId{1}, EventId{2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::value);
    EXPECT_NE(error.message.find("a clock of its own"), std::string::npos) << error.message;
  }
}

TEST(DeviceSet, AFaultCostsTheDeviceThatItHappenedOn) {
  Trio trio;
  trio.load();
  const auto x = trio.memory->allocate(Placement{{{0, 2 * kMiB}, {1, 2 * kMiB}}}, "x");
  trio.set->post_fill({}, words(x, kMiB, 7));
  trio.set->synchronize({});
  const auto first = trio.set->member(0).info().process, second = trio.set->member(1).info().process;
  trio.launch("trap", on_device({}, 1), 0);
  const auto completion = trio.set->synchronize({});
  ASSERT_TRUE(completion.fault);
  EXPECT_EQ(completion.fault->device, 1u);
  ASSERT_TRUE(completion.recovery);
  EXPECT_TRUE(completion.recovery->complete());
  EXPECT_EQ(trio.set->member(0).info().process, first);
  EXPECT_NE(trio.set->member(1).info().process, second);
  trio.set->post_fill(on_device({}, 1), words(x, 1, 8));
  EXPECT_FALSE(trio.set->synchronize({}).fault);
  EXPECT_EQ(trio.read(x, 2), (std::vector<std::uint32_t>{8, 7}));
  EXPECT_EQ(trio.read(x + 4 * kMiB - 4, 1), std::vector<std::uint32_t>{7});
}

TEST(DeviceSet, WorkAfterAFaultOfAnotherDeviceIsNotDone) {
  Trio trio;
  trio.load();
  const auto x = trio.memory->allocate(4096, "x");
  trio.set->post_fill({}, words(x, 1, 1));
  trio.set->synchronize({});
  trio.set->create_event(EventId{1});
  trio.launch("trap", on_device({}, 2), 0);
  trio.set->post_record(EventId{1}, on_device({}, 2));
  trio.set->post_wait({}, EventId{1});
  trio.set->post_fill({}, words(x, 1, 2));
  const auto completion = trio.set->synchronize({});
  ASSERT_TRUE(completion.fault);
  EXPECT_EQ(completion.fault->device, 2u);
  EXPECT_EQ(trio.read(x, 1), std::vector<std::uint32_t>{1});
}

TEST(DeviceSet, AnyProcessMayBeKilledAtAnyTime) {
  Trio trio;
  trio.load();
  const auto x = trio.memory->allocate(Placement{{{2, 2 * kMiB}, {1, 2 * kMiB}}}, "x");
  trio.set->post_fill({}, words(x, kMiB, 3));
  trio.set->synchronize({});
  for (std::uint32_t device = 0; device < 3; ++device) {
    trio.kill(device);
    const auto completion = trio.set->synchronize({});
    EXPECT_FALSE(completion.fault);
    ASSERT_TRUE(completion.recovery) << device;
    EXPECT_TRUE(completion.recovery->complete());
    EXPECT_TRUE(trio.set->lives());
    trio.launch("add_one", on_device({}, device), x, 64);
    EXPECT_FALSE(trio.set->synchronize({}).fault);
  }
  EXPECT_EQ(trio.read(x, 1), std::vector<std::uint32_t>{6});
  EXPECT_EQ(trio.read(x + 2 * kMiB, 1), std::vector<std::uint32_t>{3});
  const auto recovery = trio.set->restart();
  EXPECT_TRUE(recovery.complete());
  EXPECT_EQ(trio.read(x, 1), std::vector<std::uint32_t>{6});
}

TEST(DeviceSet, MemoryThatOneDeviceRefusesIsOnNone) {
  Trio trio;
  trio.load();
  const auto base = trio.set->info().window.base;
  trio.set->member(2).create_memory({MemoryId{77}, base + 64 * kMiB, 2 * kMiB});
  EXPECT_THROW(trio.set->create_memory({MemoryId{78}, base + 64 * kMiB, 2 * kMiB}), Error);
  trio.set->member(0).create_memory({MemoryId{78}, base + 64 * kMiB, 2 * kMiB});  // its place is free there
  EXPECT_THROW(trio.set->create_memory({MemoryId{79}, base, 2 * kMiB, 3}), Error);
}

TEST(DeviceSet, MemoryOfAnyDeviceIsUsedAgain) {
  Trio trio;
  trio.load();
  for (std::uint32_t device = 0; device < 3; ++device)
    for (const auto bytes : {std::uint64_t{1000}, 20 * kMiB}) {
      const auto x = trio.memory->allocate(Placement{{{device, bytes}}}, "x");
      const auto taken = trio.memory->taken();
      trio.memory->free(x);
      EXPECT_EQ(trio.memory->allocate(Placement{{{device, bytes}}}, "y"), x);
      EXPECT_EQ(trio.memory->taken(), taken);
      trio.memory->free(x);
    }
  const auto taken = trio.memory->taken();
  trio.memory->limit(taken + 30 * kMiB);
  const auto x = trio.memory->allocate(Placement{{{2, 40 * kMiB}}}, "x");  // in place of what was free
  EXPECT_LE(trio.memory->taken(), taken + 30 * kMiB);
  EXPECT_THROW(trio.memory->allocate(Placement{{{1, 90 * kMiB}}}, "y"), Error);
  trio.memory->free(x);
}

TEST(DeviceSet, DevicesThatCannotShareAreToldApart) {
  Trio ends(Trio::Environment{{"XCUDA_FAKE_MEMORY_ENDS", "1"}});
  try {
    ends.set->info();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::unsupported);
    EXPECT_NE(error.message.find("cannot use 3 devices together"), std::string::npos) << error.message;
  }
  EXPECT_THROW(DeviceSet(std::vector<std::unique_ptr<Device>>()), Error);
}

TEST(DeviceSet, AGraphRunsOnTheDeviceThatCapturedIt) {
  Trio trio;
  trio.load();
  const auto x = trio.memory->allocate(4096, "x");
  const auto stream = on_device(StreamId{9}, 1);
  trio.set->begin_capture(GraphId{1}, stream);
  trio.set->post_fill(stream, words(x, 4, 5));
  EXPECT_EQ(trio.set->end_capture(GraphId{1}).nodes, 1u);
  trio.set->post_graph({.number = ++trio.number, .graph = GraphId{1}, .stream = StreamId{0}});
  EXPECT_FALSE(trio.set->synchronize({}).fault);
  EXPECT_EQ(trio.read(x, 2), (std::vector<std::uint32_t>{5, 5}));
  trio.set->post_destroy_graph(GraphId{1});
  trio.set->synchronize({});
}

// --- Order, by words and where a member cannot use them -------------------------------------------------------------

class DeviceSetOrder : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    trio_.load();
    x_ = trio_.memory->allocate(4096, "x");
    for (std::uint32_t i = 0; i < 16; ++i) trio_.fill(0, x_ + i * 512, 0);
    trio_.set->synchronize({});
  }
  std::uint32_t at(std::uint32_t place) { return trio_.read(x_ + place * 512, 1).front(); }
  // After a failure of one device.
  void expect_life(const Completion& completion, const std::vector<int>& before, std::uint32_t device) {
    ASSERT_TRUE(completion.fault);
    EXPECT_EQ(completion.fault->device, device);
    ASSERT_TRUE(completion.recovery);
    EXPECT_TRUE(completion.recovery->complete());
    const auto now = trio_.processes();
    for (std::uint32_t other = 0; other < 3; ++other) EXPECT_EQ(now[other] == before[other], other != device) << other;
    trio_.fill(1, x_, 0);
    trio_.set->post_order(0, 1);
    trio_.add_in_turn(x_, 30);
    const auto next = trio_.set->synchronize({});
    EXPECT_FALSE(next.fault);
    EXPECT_TRUE(next.skipped.empty());
    EXPECT_EQ(at(0), 30u);
  }

  bool by_words() const { return GetParam(); }
  Trio trio_{GetParam() ? Trio::Environment{} : Trio::Environment{{"XCUDA_FAKE_WORDS", "refused"}}};
  Address x_ = 0;
};

INSTANTIATE_TEST_SUITE_P(By, DeviceSetOrder, testing::Bool(),
                         [](const auto& info) { return info.param ? "words" : "session"; });

TEST_P(DeviceSetOrder, ADeviceWaitsForAllThatAnotherWasGiven) {
  const std::uint32_t turns = by_words() ? 3000 : 30;
  trio_.add_in_turn(x_, turns);
  EXPECT_FALSE(trio_.set->synchronize({}).fault);
  EXPECT_EQ(at(0), turns);
  for (std::uint32_t turn = 0; turn < 20; ++turn)
    for (std::uint32_t device = 0; device < 3; ++device) {
      for (std::uint32_t other = 0; other < 3; ++other) trio_.set->post_order(device, other);
      trio_.fill(device, x_, 3 * turn + device);
    }
  EXPECT_FALSE(trio_.set->synchronize({}).fault);
  EXPECT_EQ(at(0), 59u);
}

TEST_P(DeviceSetOrder, WhatWaitsForAFaultIsLeftOut) {
  for (std::uint32_t device = 0; device < 3; ++device) {
    const auto second = (device + 1) % 3, third = (device + 2) % 3;
    const auto before = trio_.processes();
    trio_.fill(second, x_ + 512, device + 10);
    trio_.launch("trap", on_device({}, device), 0);
    trio_.set->post_order(second, device);
    trio_.fill(second, x_ + 1024, 1);
    trio_.launch("add_one", on_device({}, second), x_ + 1536, 64);
    trio_.set->post_order(third, second);
    trio_.fill(third, x_ + 2048, 1);
    const auto completion = trio_.set->synchronize({});
    ASSERT_TRUE(completion.fault);
    EXPECT_EQ(completion.fault->kind, FaultKind::trap);
    EXPECT_EQ(at(1), device + 10);
    for (const auto place : {2u, 3u, 4u}) EXPECT_EQ(at(place), 0u) << place;
    expect_life(completion, before, device);
  }
}

TEST_P(DeviceSetOrder, AKilledProcessHoldsNobodyUp) {
  for (std::uint32_t device = 0; device < 3; ++device) {
    const auto second = (device + 1) % 3;
    const auto before = trio_.processes();
    std::thread killer([process = before[device]] {
      std::this_thread::sleep_for(50ms);
      ::kill(process, SIGKILL);
    });
    trio_.launch("endless", on_device({}, device), x_ + 512);
    trio_.set->post_order(second, device);
    trio_.fill(second, x_ + 1024, 1);
    const auto completion = trio_.set->synchronize({});
    killer.join();
    ASSERT_TRUE(completion.fault);
    EXPECT_EQ(completion.fault->kind, FaultKind::worker_died);
    EXPECT_EQ(at(2), 0u);
    expect_life(completion, before, device);
  }
}

TEST_P(DeviceSetOrder, ATimeLimitEndsTheDeviceThatTakesTooLong) {
  if (!by_words()) GTEST_SKIP() << "post_order() waits without a limit here";
  for (std::uint32_t device = 0; device < 3; ++device) {
    const auto before = trio_.processes();
    trio_.launch("endless", on_device({}, device), x_ + 512);
    for (const auto other : {(device + 1) % 3, (device + 2) % 3}) {
      trio_.set->post_order(other, device);
      trio_.fill(other, x_ + 1024, 1);
    }
    const auto completion = trio_.set->synchronize({.deadline = std::chrono::steady_clock::now() + 50ms});
    ASSERT_TRUE(completion.fault);
    EXPECT_EQ(completion.fault->kind, FaultKind::time_limit);
    EXPECT_EQ(at(2), 0u);
    expect_life(completion, before, device);
  }
}

TEST_P(DeviceSetOrder, AnInterruptEndsTheDeviceThatDoesNotStop) {
  if (!by_words()) GTEST_SKIP() << "post_order() waits without a limit here";
  for (std::uint32_t device = 0; device < 3; ++device) {
    const auto before = trio_.processes();
    const auto second = (device + 1) % 3;
    Interrupt interrupt;
    trio_.launch("endless", on_device({}, device), x_ + 512);
    trio_.set->post_order(second, device);
    trio_.launch("add_one", on_device({}, second), x_ + 1024, 64);
    // Once it runs: a launch that has not begun would be skipped.
    std::thread user([&] {
      std::this_thread::sleep_for(100ms);
      interrupt.raise();
    });
    const auto completion = trio_.set->synchronize({.interrupt = &interrupt, .grace = 20ms});
    user.join();
    EXPECT_EQ(at(2), 0u);
    if (!completion.fault) {
      EXPECT_EQ(completion.skipped.size(), 2u);
      continue;
    }
    EXPECT_EQ(completion.fault->kind, FaultKind::interrupted);
    expect_life(completion, before, device);
  }
}

TEST_P(DeviceSetOrder, ACallDoesNotWaitForADeviceThatFailed) {
  const auto before = trio_.processes();
  trio_.launch("trap", on_device({}, 2), 0);
  trio_.set->post_order(0, 2);
  trio_.fill(0, x_ + 512, 1);
  auto completion = std::optional<Completion>();
  try {
    trio_.set->create_event(EventId{1});
    completion = trio_.set->synchronize({});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::device);
    completion = trio_.set->take_fault();
    EXPECT_FALSE(trio_.set->synchronize({}).fault);
  }
  ASSERT_TRUE(completion && completion->fault);
  EXPECT_EQ(completion->fault->kind, FaultKind::trap);
  EXPECT_EQ(at(1), 0u);
  EXPECT_FALSE(trio_.set->take_fault());
  expect_life(*completion, before, 2);
}

TEST_P(DeviceSetOrder, AProcessThatACallFindsLostHoldsNobodyUp) {
  const auto before = trio_.processes();
  trio_.launch("endless", on_device({}, 1), x_ + 1024);
  ::kill(before[1], SIGKILL);
  trio_.set->post_order(0, 1);
  trio_.fill(0, x_ + 512, 1);
  auto completion = std::optional<Completion>();
  try {
    trio_.set->member(0).info();
    completion = trio_.set->synchronize({});
  } catch (const Error& error) {
    completion = trio_.set->take_fault();
    EXPECT_FALSE(trio_.set->synchronize({}).fault);
  }
  EXPECT_EQ(at(1), 0u);
  ASSERT_TRUE(completion);
  expect_life(*completion, before, 1);
}

// A ring that nobody empties keeps the session from noticing, unless it looks.
TEST_P(DeviceSetOrder, ARingThatIsFullDoesNotHideAFault) {
  const auto before = trio_.processes();
  trio_.launch("trap", on_device({}, 2), 0);
  trio_.set->post_order(0, 2);
  for (int i = 0; i < 40'000; ++i) trio_.fill(0, x_ + 512, 1);
  const auto completion = trio_.set->synchronize({});
  EXPECT_EQ(at(1), 0u);
  expect_life(completion, before, 2);
}

TEST_P(DeviceSetOrder, ARestartForgetsWhatWasWaitedFor) {
  trio_.launch("add_one", on_device({}, 1), x_, 64);
  trio_.set->post_order(0, 1);
  trio_.set->synchronize({});
  EXPECT_TRUE(trio_.set->restart().complete());
  trio_.add_in_turn(x_, 29);
  EXPECT_FALSE(trio_.set->synchronize({}).fault);
  EXPECT_EQ(at(0), 30u);
  trio_.set->rest();
  EXPECT_TRUE(trio_.set->restart().complete());
  trio_.add_in_turn(x_, 30);
  EXPECT_FALSE(trio_.set->synchronize({}).fault);
  EXPECT_EQ(at(0), 60u);
}

}  // namespace
}  // namespace xcuda::device::contract
