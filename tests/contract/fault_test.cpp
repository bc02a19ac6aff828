// What every device does when something goes wrong, and what a supervised one does about it.
#include <signal.h>

#include <fstream>
#include <set>
#include <thread>

#include "tests/contract/rig.hpp"

namespace xcuda::device::contract {
namespace {

using namespace std::chrono_literals;

class FaultContract : public Contract {
 protected:
  void SetUp() override {
    Contract::SetUp();
    if (IsSkipped()) return;
    x_ = add_memory(0);
    load();
    values_.resize(1000);
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = static_cast<std::uint32_t>(i * i);
    write(x_, values_);
  }

  // After a fault: a supervised device lives as before, another one has ended.
  void expect_life(const Completion& completion) {
    ASSERT_TRUE(completion.fault);
    if (!supervised()) {
      EXPECT_FALSE(completion.recovery);
      EXPECT_THROW(finish(), Error);
      EXPECT_THROW(device().info(), Error);
      fill(x_, 1, 0);  // a post never throws
      return;
    }
    ASSERT_TRUE(completion.recovery);
    EXPECT_TRUE(completion.recovery->window_kept);
    EXPECT_TRUE(completion.recovery->arrays_kept);
    EXPECT_TRUE(completion.recovery->modules_lost.empty());
    EXPECT_GT(completion.recovery->duration, 0);
    expect_contents();
    launch("add_one", 10, x_, 10u);
    finish_well();
    EXPECT_EQ(read<std::uint32_t>(x_, 1)[0], values_[0] + 1);
    write(x_, values_);
  }
  void expect_contents() { EXPECT_EQ(read<std::uint32_t>(x_, values_.size()), values_); }

  // Launches the endless kernel and interrupts it. One that had not begun when the interrupt came was skipped: on a
  // busy machine that is so, and it is launched again and given more time.
  Completion interrupt_endless(int times, std::chrono::milliseconds grace) {
    for (auto patience = 30ms;; patience *= 2) {
      const auto number = launch("endless", 1, x_);
      Interrupt interrupt;
      std::thread user([&] {
        for (int i = 0; i < times; ++i) {
          std::this_thread::sleep_for(patience);
          interrupt.raise();
        }
      });
      auto completion = finish({.interrupt = &interrupt, .grace = grace});
      user.join();
      if (completion.fault || completion.skipped != std::vector{number}) return completion;
    }
  }

  Address x_ = 0;
  std::vector<std::uint32_t> values_;
};

INSTANTIATE_TEST_SUITE_P(Device, FaultContract, testing::ValuesIn(contract_devices()),
                         [](const auto& info) { return info.param.name; });

TEST_P(FaultContract, AFaultIsToldWithItsLaunch) {
  for (const char* const entry : {"fault", "trap"}) {
    launch("add_one", 0 + 1, x_ + 4096, 1u);
    finish_well();  // what is done before is not suspected
    const auto before = launch("add_one", 1, x_ + 4096, 1u);
    const auto culprit = launch(entry, 1);
    const auto after = launch("add_one", 1, x_ + 4096, 1u);
    const auto completion = finish();
    ASSERT_TRUE(completion.fault);
    const auto& fault = *completion.fault;
    const std::set<FaultKind> kinds =
        std::string(entry) == "trap"
            ? std::set{FaultKind::trap}
            : std::set{FaultKind::illegal_address, FaultKind::null_pointer, FaultKind::out_of_bounds};
    // A process that dies without a word still tells the signal.
    if (fault.kind == FaultKind::worker_died) {
      EXPECT_FALSE(fault.library.empty());
    } else {
      EXPECT_TRUE(kinds.contains(fault.kind)) << fault_name(fault.kind) << ": " << fault.library;
    }
    const std::set<std::uint64_t> suspects(fault.launches.begin(), fault.launches.end());
    EXPECT_TRUE(suspects.contains(culprit));
    for (const auto number : suspects) EXPECT_TRUE(number >= before && number <= after) << number;
    expect_life(completion);
    if (!supervised()) return;
  }
}

TEST_P(FaultContract, AFaultInAGraphIsToldWithItsNumber) {
  device().begin_capture(GraphId{1}, StreamId{7});
  auto made = request("fault", 1);
  made.stream = StreamId{7};
  device().post_launch(made);
  device().end_capture(GraphId{1});
  finish_well();  // nothing ran
  device().post_graph({made.number + 1, GraphId{1}, StreamId{0}, Timing::none});
  const auto completion = finish();
  ASSERT_TRUE(completion.fault);
  // The launch inside, or the graph's.
  ASSERT_EQ(completion.fault->launches.size(), 1u);
  EXPECT_GE(completion.fault->launches[0], made.number);
  EXPECT_LE(completion.fault->launches[0], made.number + 1);
  expect_life(completion);
  device().post_destroy_graph(GraphId{1});  // it went with its process
  if (supervised()) finish_well();
}

TEST_P(FaultContract, AFaultOfACopy) {
  device().post_fill(StreamId{0}, {info().window.base + info().window.size / 2, 100, {std::byte{1}}});
  const auto completion = finish();
  // A driver may refuse the request when it is made, or the memory system when it is done.
  if (!completion.fault) {
    ASSERT_EQ(completion.refused.size(), 1u);
    expect_contents();
  } else {
    expect_life(completion);
  }
}

TEST_P(FaultContract, TheDeadlineEndsAnEndlessKernel) {
  const auto number = launch("endless", 1, x_);  // x_[0] is 0
  const auto completion = finish({.deadline = std::chrono::steady_clock::now() + 50ms});
  ASSERT_TRUE(completion.fault);
  EXPECT_EQ(completion.fault->kind, FaultKind::time_limit);
  EXPECT_EQ(completion.fault->launches, std::vector{number});
  expect_life(completion);
}

TEST_P(FaultContract, AnInterruptEndsAnEndlessKernel) {
  const auto completion = interrupt_endless(1, 50ms);
  ASSERT_TRUE(completion.fault);
  EXPECT_EQ(completion.fault->kind, FaultKind::interrupted);
  expect_life(completion);
}

TEST_P(FaultContract, ASecondInterruptDoesNotWaitForTheGrace) {
  if (!has_process()) GTEST_SKIP() << "no process to kill";
  const auto completion = interrupt_endless(3, 1h);
  ASSERT_TRUE(completion.fault);
  EXPECT_EQ(completion.fault->kind, FaultKind::interrupted);
  expect_life(completion);
}

TEST_P(FaultContract, AnInterruptSkipsWhatHasNotBegun) {
  if (!has_process()) GTEST_SKIP() << "posts wait in no ring";
  auto made = request("add_one", 1, x_ + 4096, 1u);
  const std::uint32_t n = 100'000;
  Interrupt interrupt;
  interrupt.raise();
  for (std::uint32_t i = 0; i < n; ++i) {
    made.number = 1000 + i;
    device().post_launch(made);
  }
  const auto completion = finish({.interrupt = &interrupt, .grace = 1h});
  EXPECT_FALSE(completion.fault);
  EXPECT_FALSE(completion.recovery);
  const auto done = read<std::uint32_t>(x_ + 4096, 1)[0];
  EXPECT_EQ(done + completion.skipped.size(), n);
  expect_contents();
  launch("add_one", 1, x_ + 4096, 1u);  // and it is over with the wait
  finish_well();
  EXPECT_EQ(read<std::uint32_t>(x_ + 4096, 1)[0], done + 1);
}

TEST_P(FaultContract, APostThatWaitsForRoomCanBeInterrupted) {
  if (!has_process()) GTEST_SKIP() << "posts wait in no ring";
  Completion completion;
  auto number = std::uint64_t{1000};
  for (auto patience = 100ms; !completion.fault; patience *= 2) {  // see interrupt_endless()
    auto endless = request("endless", 1, x_);
    endless.number = ++number;
    device().post_launch(endless);
    auto made = request("add_one", 1, x_ + 4096, 1u);
    std::thread user([&] {
      std::this_thread::sleep_for(patience);
      interrupt_.raise();
    });
    // More than the ring and the queue behind it hold; on a device with a deep queue all of it may be taken.
    for (std::uint32_t i = 0; i < 50'000; ++i) {
      made.number = ++number;
      device().post_launch(made);
    }
    user.join();
    completion = finish({.interrupt = &interrupt_, .grace = 50ms});
    interrupt_.clear();
    ASSERT_TRUE(completion.fault || !completion.skipped.empty());
  }
  ASSERT_TRUE(completion.fault);
  EXPECT_EQ(completion.fault->kind, FaultKind::interrupted);
  expect_life(completion);
}

TEST_P(FaultContract, ADeathWhileIdleCostsASupervisedDeviceNothing) {
  if (!has_process()) GTEST_SKIP() << "no process to kill";
  for (const int number : {SIGKILL, SIGSEGV, SIGTERM, SIGSTOP}) {
    const auto process = device().info().process;
    ::kill(process, number);
    const auto completion = finish();
    if (!supervised()) {
      ASSERT_TRUE(completion.fault);
      EXPECT_FALSE(completion.fault->library.empty() && completion.fault->message.empty());
      expect_life(completion);
      return;
    }
    EXPECT_FALSE(completion.fault);
    ASSERT_TRUE(completion.recovery);
    EXPECT_TRUE(completion.recovery->complete());
    EXPECT_NE(device().info().process, process);
    expect_contents();
    launch("add_one", 10, x_, 10u);
    finish_well();
    EXPECT_EQ(read<std::uint32_t>(x_, 1)[0], values_[0] + 1);
    write(x_, values_);
  }
}

TEST_P(FaultContract, ACallThatFindsAnIdleDeathIsAnswered) {
  if (!supervised()) GTEST_SKIP() << "not supervised";
  const auto strike = [&](int number) { ::kill(device().info().process, number); };
  // Who calls may hold the address of a variable of the module: as long as there is one, the caller has to know.
  strike(SIGKILL);
  EXPECT_THROW(device().create_stream(StreamId{5}), Error);
  EXPECT_TRUE(device().take_fault()->fault);
  device().unload_module(ModuleId{1});
  std::uint32_t id = 5;
  for (const int number : {SIGKILL, SIGSEGV, SIGSTOP}) {
    strike(number);
    device().create_stream(StreamId{++id});
    const auto kept = device().take_fault();
    ASSERT_TRUE(kept);
    EXPECT_FALSE(kept->fault);
    EXPECT_TRUE(kept->recovery);
    EXPECT_FALSE(device().take_fault());
    expect_contents();
  }
  strike(SIGKILL);
  load();  // a module is loaded once
  EXPECT_THROW(device().load_module(image(1)), Error);
  strike(SIGKILL);
  finish();
  strike(SIGKILL);  // and the next one at once, too
  EXPECT_TRUE(finish().recovery);
  expect_contents();
}

TEST_P(FaultContract, ADeathBetweenTwoPostsIsTold) {
  if (!has_process()) GTEST_SKIP() << "no process to kill";
  const auto number = launch("add_one", 10, x_ + 4096, 10u);
  ::kill(device().info().process, SIGKILL);
  launch("add_one", 10, x_ + 4096, 10u);
  const auto completion = finish();  // nobody knows whether the first one ran
  ASSERT_TRUE(completion.fault);
  EXPECT_EQ(completion.fault->kind, FaultKind::worker_died);
  EXPECT_EQ(completion.fault->launches.front(), number);
  expect_life(completion);
}

TEST_P(FaultContract, ADeathIsFoundByACallToo) {
  if (!has_process()) GTEST_SKIP() << "no process to kill";
  const auto number = launch("endless", 1, x_);
  ::kill(device().info().process, SIGKILL);
  try {
    device().create_stream(StreamId{5});
    FAIL() << "answered";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::device);
    EXPECT_NE(error.library.find("SIGKILL"), std::string::npos) << error.library;
  }
  const auto kept = device().take_fault();
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->fault->kind, FaultKind::worker_died);
  EXPECT_EQ(kept->fault->launches, std::vector{number});
  EXPECT_FALSE(device().take_fault());
  if (supervised()) {
    EXPECT_TRUE(kept->recovery);
    device().create_stream(StreamId{5});
    expect_contents();
  }
}

TEST_P(FaultContract, AStoppedProcessCountsAsHung) {
  if (!has_process()) GTEST_SKIP() << "no process to stop";
  ::kill(device().info().process, SIGSTOP);
  launch("add_one", 1, x_, 1u);
  const auto completion = finish({.deadline = std::chrono::steady_clock::now() + 50ms});
  ASSERT_TRUE(completion.fault);
  EXPECT_EQ(completion.fault->kind, FaultKind::time_limit);
  expect_life(completion);
}

TEST_P(FaultContract, ARestartKeepsAllThatCanBeKept) {
  if (!supervised()) GTEST_SKIP() << "not supervised";
  const auto before = device().info();
  device().create_stream(StreamId{1});
  device().create_event(EventId{1});
  device().set_limit(Limit::printf_buffer, 4 << 20);
  const auto y = add_memory(1, 3);
  fill(y, 100, 3);
  finish_well();
  const auto recovery = device().restart();
  EXPECT_TRUE(recovery.window_kept);
  EXPECT_TRUE(recovery.arrays_kept);
  const auto now = device().info();
  EXPECT_NE(now.process, before.process);
  EXPECT_EQ(now.window.base, before.window.base);
  EXPECT_GE(device().limit(Limit::printf_buffer), std::uint64_t{4} << 20);
  expect_contents();
  EXPECT_EQ(read<std::uint32_t>(y, 100), std::vector<std::uint32_t>(100, 3));
  auto made = request("add_one", 10, y, 10u);
  made.stream = StreamId{1};
  device().post_launch(made);
  device().post_record(EventId{1}, StreamId{1});
  finish_well();
  // Module variables are new, at addresses that have to be asked again.
  for (const auto& variable : device().module_info(ModuleId{1}).variables) {
    if (variable.symbol != "counter") continue;
    EXPECT_NE(variable.address, 0u);
  }
  device().destroy_stream(StreamId{1});
  device().destroy_event(EventId{1});
  device().unload_module(ModuleId{1});
  device().restart();  // what is gone stays gone
  EXPECT_THROW(device().module_info(ModuleId{1}), Error);
  device().create_stream(StreamId{1});
}

TEST_P(FaultContract, ManyRecoveriesLeaveNothingBehind) {
  if (!supervised()) GTEST_SKIP() << "not supervised";
  const auto fault_once = [&](int i) {
    const int kind = i % 4;
    if (kind == 0) launch("fault", 1);
    if (kind == 1) launch("trap", 1);
    if (kind == 2) ::kill(device().info().process, SIGKILL);
    if (kind == 3) launch("endless", 1, x_);
    const auto completion = finish({.deadline = std::chrono::steady_clock::now() + (kind == 3 ? 1ms : 1h)});
    ASSERT_EQ(completion.fault.has_value(), kind != 2);  // it had nothing to do
    ASSERT_TRUE(completion.recovery);
  };
  for (int i = 0; i < 8; ++i) fault_once(i);
  const auto descriptors = open_descriptors();
  const auto resident = [] {
    std::ifstream file("/proc/self/statm");
    long pages = 0, in_memory = 0;
    file >> pages >> in_memory;
    return in_memory * 4096;
  };
  const auto before = resident();
  const auto memory = device().info().memory_free;
  const int cycles = info().kind == Kind::fake ? 100 : 20;
  for (int i = 0; i < cycles; ++i) fault_once(i);
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_LT(resident(), before + (8 << 20));
  // The CPU device's is the machine's, which others use too; what would leak there are descriptors.
  EXPECT_TRUE(info().kind == Kind::cpu || device().info().memory_free + memory / 4 >= memory);
  expect_contents();
}

}  // namespace
}  // namespace xcuda::device::contract
