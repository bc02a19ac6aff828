// What a set of devices has that one device has not: work on each, memory of each, one process lost.
#include "device/device_set.hpp"

#include <gtest/gtest.h>

#include <csignal>

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
  void launch(const std::string& entry, StreamId stream, Address a, std::uint32_t n = 0) {
    LaunchRequest request;
    request.number = ++number;
    request.module = ModuleId{1};
    request.entry = entry;
    request.stream = stream;
    request.block = {64, 1, 1};
    if (a != 0) {
      request.arguments.resize(12);
      std::memcpy(request.arguments.data(), &a, 8);
      std::memcpy(request.arguments.data() + 8, &n, 4);
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

}  // namespace
}  // namespace xcuda::device::contract
