// What only a worker that misbehaves on purpose can show: an end in the middle of each verb, a start that fails, a
// window that is taken, memory that ends with its process.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "base/sanitizers.hpp"
#include "device/memory.hpp"
#include "device/remote/supervised_device.hpp"
#include "device/shared_words.hpp"
#include "device/transfer.hpp"
#include "tests/contract/fake_kernels.hpp"
#include "tests/contract/rig.hpp"
#include "tests/places.hpp"

namespace xcuda::device::contract {
namespace {

using namespace std::chrono_literals;
using remote::SupervisedDevice;

remote::RemoteOptions fake_worker(std::vector<std::pair<std::string, std::string>> environment = {}) {
  remote::RemoteOptions options;
  options.worker.program = test::program_file("fake_worker");
  options.worker.environment = std::move(environment);
  options.worker.spin = 1ms;
  options.staging_size = 1 << 20;
  options.start_limit = 20s;
  return options;
}

ModuleImage kernels(std::uint32_t id) { return {ModuleId{id}, "In[1]", fake_kernels_text(), {}, {}, {}}; }

HostModuleImage host_code(std::uint32_t id) {
  return {ModuleId{id}, "In[2]", test::program_file("libhost_module_sample.so")};
}

std::string file_name() { return testing::TempDir() + "fake-end-" + std::to_string(getpid()); }

// A worker that ends at a verb, once. The file is the plan's validity.
remote::RemoteOptions ends_at(const std::string& verb, const std::string& how) {
  std::ofstream(file_name()) << "x";
  return fake_worker({{"XCUDA_FAKE_END", verb + " " + how + " " + file_name()}});
}

struct Scene {
  explicit Scene(remote::RemoteOptions options) : device(interruptible(std::move(options))) {}
  Interrupt interrupt;  // ends what hangs
  SupervisedDevice device;
  Window window;

  // Does every verb, and after each that failed does it again. Returns how many failed.
  int play() {
    int failed = 0;
    const auto attempt = [&](auto function) {
      try {
        function();
      } catch (const Error& error) {
        ++failed;
        if (error.kind != ErrorKind::device && error.kind != ErrorKind::interrupted) throw;
        const auto kept = device.take_fault();
        EXPECT_TRUE(kept && kept->recovery) << error.message << ": " << error.library;
        interrupt.clear();
        function();
      }
    };
    attempt([&] { window = device.info().window; });
    const auto words = SharedWords::make_file();
    attempt([&] { EXPECT_TRUE(device.share_words(words)); });
    const MemoryRequest x{MemoryId{1}, window.base, 2 << 20}, y{MemoryId{2}, window.base + (8 << 20), 2 << 20};
    File file;
    attempt([&] { file = device.create_memory(x); });
    attempt([&] { device.import_memory(y, file); });  // the same memory at a second place
    attempt([&] { device.load_module(kernels(1)); });
    attempt([&] { device.load_module(kernels(2)); });
    attempt([&] { EXPECT_EQ(device.module_info(ModuleId{1}).functions.size(), 8u); });
    attempt([&] { device.unload_module(ModuleId{2}); });
    HostModuleInfo host_module;
    attempt([&] { host_module = device.load_host_module(host_code(3)); });
    device.take_fault();  // the process outside of the sandbox
    attempt([&] { device.load_host_module(host_code(4)); });
    attempt([&] { device.unload_host_module(ModuleId{4}); });
    attempt([&] { device.create_stream(StreamId{1}); });
    attempt([&] { device.create_stream(StreamId{2}); });
    attempt([&] { device.destroy_stream(StreamId{2}); });
    attempt([&] { device.create_event(EventId{1}); });
    attempt([&] { device.create_event(EventId{2}); });
    attempt([&] { device.destroy_event(EventId{2}); });
    attempt([&] { device.occupancy({ModuleId{1}, "add_one", 128, 0}); });
    attempt([&] { device.best_block({ModuleId{1}, "add_one", 128, 0}); });
    attempt([&] { device.set_limit(Limit::malloc_heap, 5 << 20); });
    attempt([&] { EXPECT_EQ(device.limit(Limit::malloc_heap), 5u << 20); });
    TextureRequest texture;
    texture.id = TextureId{1};
    attempt([&] { device.create_texture(texture); });
    // Posts: what was lost with the process is told, and done again.
    const auto posts = [&] {
      device.post_name_range({x.address, 400, 4, "x", "float"});
      device.post_fill(StreamId{0}, {x.address, 100, {std::byte{1}, std::byte{2}}});
      device.post_copy(StreamId{1}, {.to = x.address + 4096, .from = x.address, .width = 100});
      device.post_write(StreamId{0}, {.to = x.address + 8192, .from = 0, .width = 100});
      device.post_read(StreamId{0}, {.to = 5000, .from = x.address, .width = 100});
      LaunchRequest launch;
      launch.number = 1;
      launch.module = ModuleId{1};
      launch.entry = "say";
      launch.arguments.resize(4);
      device.post_prepare({ModuleId{1}, "add_one", {}});
      device.post_launch(launch);
      HostCall call{.number = 2, .module = ModuleId{3}};
      while (host_module.functions.at(call.function).name != "next") ++call.function;
      call.result_size = sizeof(int);
      device.post_host_call(call);
      device.post_record(EventId{1}, StreamId{1});
      device.post_wait(StreamId{0}, EventId{1});
      device.post_write_value(1, 1);
      device.post_wait_value(1, 1);
      device.post_forget_range(x.address);
      device.post_destroy_texture(TextureId{7});
      return device.synchronize(limits());
    };
    auto completion = posts();
    if (completion.fault) {
      ++failed;
      EXPECT_TRUE(completion.recovery) << completion.fault->library;
      interrupt.clear();
      completion = posts();
    }
    EXPECT_FALSE(completion.fault);
    EXPECT_TRUE(completion.refused.empty()) << completion.refused[0].library;
    EXPECT_EQ(device.staging()[5001], std::byte{2});
    attempt([&] { EXPECT_EQ(device.elapsed(EventId{1}, EventId{1}), 0); });
    attempt([&] { device.destroy_memory(MemoryId{2}); });
    std::vector<std::byte> bytes(100);
    Transfer(device).read({.address = x.address + 4096, .width = 100}, bytes);
    EXPECT_EQ(bytes[1], std::byte{2});
    return failed;
  }

 private:
  WaitRequest limits() { return {.interrupt = &interrupt, .deadline = {}, .grace = 0ms}; }
  remote::RemoteOptions interruptible(remote::RemoteOptions options) {
    options.limits = [this] { return limits(); };
    return options;
  }
};

// Interrupts when the worker has come to its verb and hangs there, however long that takes.
class Impatience {
 public:
  explicit Impatience(Interrupt& interrupt)
      : thread_([this, &interrupt] {
          while (!over_ && access(file_name().c_str(), F_OK) == 0) std::this_thread::sleep_for(1ms);
          if (!over_) interrupt.raise();
        }) {}
  ~Impatience() {
    over_ = true;
    thread_.join();
  }
  Impatience(const Impatience&) = delete;
  Impatience& operator=(const Impatience&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::thread thread_;
};

TEST(Supervision, TheSceneItself) {
  Scene scene(fake_worker());
  EXPECT_EQ(scene.play(), 0);
}

class EndsAtVerb : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(EndsAtVerb, AndNothingIsLost) {
  const auto& [verb, how] = GetParam();
  Scene scene(ends_at(verb, how));
  std::optional<Impatience> impatience;
  if (how == "hang") impatience.emplace(scene.interrupt);
  // Before there is a module with variables, a process that ends in a call costs nothing: the next one answers.
  const std::set<std::string> unseen{"info", "create_memory", "import_memory", "load_module", "share_words"};
  EXPECT_EQ(scene.play(), unseen.contains(verb) && how != "hang" ? 0 : 1) << verb;
  EXPECT_NE(access(file_name().c_str(), F_OK), 0) << "the worker did not come to " << verb;
}

INSTANTIATE_TEST_SUITE_P(
    EveryVerb, EndsAtVerb,
    testing::Combine(testing::Values("info", "create_memory", "import_memory", "destroy_memory", "load_module",
                                     "unload_module", "load_host_module", "unload_host_module", "module_info",
                                     "occupancy", "best_block", "create_stream", "destroy_stream", "create_event",
                                     "destroy_event", "create_texture", "post_destroy_texture", "set_limit", "limit",
                                     "synchronize", "post_name_range", "post_forget_range", "post_fill", "post_copy",
                                     "post_read", "post_write", "post_prepare", "post_launch", "post_host_call",
                                     "post_record", "post_wait", "share_words", "post_write_value", "post_wait_value"),
                     testing::Values("exit", std::to_string(SIGKILL), std::to_string(SIGSEGV), "hang")),
    [](const auto& info) {
      const auto& how = std::get<1>(info.param);
      return std::get<0>(info.param) + (std::isdigit(how[0]) != 0 ? "_signal" : "_") + how;
    });

TEST(Supervision, AForeignExceptionIsAnErrorAndNoEnd) {
  Scene scene(ends_at("create_stream", "throw"));
  scene.device.info();
  try {
    scene.device.create_stream(StreamId{1});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::internal);
    EXPECT_EQ(error.library, "thrown on purpose");
  }
  EXPECT_FALSE(scene.device.take_fault());
  scene.device.create_stream(StreamId{1});
}

TEST(Supervision, AnEndWhileItStartsIsTriedAgain) {
  for (const char* const how : {"exit", "11"}) {
    SupervisedDevice device(ends_at("start", how));
    EXPECT_EQ(device.info().kind, Kind::fake);
    const auto kept = device.take_fault();
    ASSERT_TRUE(kept);
    EXPECT_FALSE(kept->fault);
    EXPECT_TRUE(kept->recovery);
  }
}

// As long as it lives no descriptor can be had: no pipe, no socket, no process.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    // As many as poll() is asked about at once: with fewer it refuses. A process that is started needs more.
    const rlimit few{6, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST(Supervision, ASuccessorThatCannotBeStartedIsAnErrorWithTheReason) {
  if (kAddressSanitizer) GTEST_SKIP() << "UndefinedBehaviorSanitizer, which comes with it, looks at objects by pipes";
  SupervisedDevice device(fake_worker());
  ::kill(device.info().process, SIGKILL);
  {
    const NoDescriptors none;
    const auto completion = device.synchronize({});
    ASSERT_TRUE(completion.fault);
    EXPECT_FALSE(completion.recovery);
    EXPECT_FALSE(device.lives());
    for (int i = 0; i < 2; ++i) {
      try {
        device.create_stream(StreamId{1});
        FAIL();
      } catch (const Error& error) {
        EXPECT_NE(error.library.find("EMFILE"), std::string::npos) << error.library;
        ASSERT_EQ(error.notes.size(), 1u);
        EXPECT_NE(error.notes[0].find("the next cell"), std::string::npos);
      }
      device.rouse();
      EXPECT_FALSE(device.lives());
    }
    device.take_fault();
  }
  device.rouse();  // the cause is gone
  EXPECT_TRUE(device.lives());
  const auto told = device.take_fault();
  ASSERT_TRUE(told);
  EXPECT_FALSE(told->fault);
  EXPECT_TRUE(told->recovery && told->recovery->complete());
  device.create_stream(StreamId{1});
}

TEST(Supervision, ACallThatEndsEveryProcessIsAskedTwiceAndTold) {
  const auto plan = file_name();
  SupervisedDevice device(fake_worker({{"XCUDA_FAKE_END_ALWAYS", "create_stream " + plan}}));
  device.info();
  std::ofstream(plan) << "x";
  EXPECT_THROW(device.create_stream(StreamId{1}), Error);
  const auto kept = device.take_fault();
  ASSERT_TRUE(kept && kept->fault);
  EXPECT_TRUE(kept->recovery);
  unlink(plan.c_str());
  device.create_stream(StreamId{1});
}

TEST(Supervision, AWorkerThatCannotStartIsGivenUpWithItsLastWords) {
  auto options = fake_worker();
  options.worker.program = "/bin/sh";
  options.worker.arguments = {"-c", "echo no such library >&2; exit 5"};
  SupervisedDevice device(options);
  EXPECT_THROW(device.info(), Error);
  const auto kept = device.take_fault();
  ASSERT_TRUE(kept);
  EXPECT_FALSE(kept->recovery);
  try {
    device.create_stream(StreamId{1});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.library.find("no such library"), std::string::npos) << error.library;
    EXPECT_NE(error.message.find("3 attempts"), std::string::npos) << error.message;
  }
  EXPECT_THROW(device.restart(), Error);
  EXPECT_FALSE(has_children());
}

// Every cell would wait for it.
TEST(Supervision, AStartThatHungIsNotTriedAgainByItself) {
  auto options = fake_worker();
  options.worker.program = "/bin/sh";
  options.worker.arguments = {"-c", "echo >>\"$0\"; exec sleep 1000", file_name()};
  options.start_limit = 100ms;
  std::ofstream(file_name()).flush();
  SupervisedDevice device(options);
  EXPECT_THROW(device.info(), Error);
  device.take_fault();
  const auto starts = std::filesystem::file_size(file_name());
  device.rouse();
  EXPECT_FALSE(device.lives());
  EXPECT_EQ(std::filesystem::file_size(file_name()), starts);
  try {
    device.create_stream(StreamId{1});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.advice, "%restart tries again; xcuda --doctor checks the installation.");
  }
  unlink(file_name().c_str());
}

TEST(Supervision, AnErrorOfTheStartIsTheAnswerToEveryCall) {
  SupervisedDevice device(ends_at("start", "throw"));
  for (int i = 0; i < 2; ++i) {
    try {
      device.info();
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.library, "thrown on purpose");
    }
  }
  device.restart();  // the cause is gone
  EXPECT_EQ(device.info().kind, Kind::fake);
}

TEST(Supervision, WhoWaitsIsToldWhatTheDeviceDoesAndTheFaultSaysIt) {
  SupervisedDevice device(fake_worker({{"XCUDA_FAKE_DOING", "compiling scan: optimisation"}}));
  device.load_module(kernels(1));
  LaunchRequest launch;
  launch.number = 1;
  launch.module = ModuleId{1};
  launch.entry = "endless";
  launch.arguments.resize(8);
  const MemoryRequest flag{MemoryId{1}, device.info().window.base, 2 << 20};
  device.create_memory(flag);
  std::memcpy(launch.arguments.data(), &flag.address, 8);
  device.post_launch(launch);
  Interrupt interrupt;
  std::string told;
  const auto tell = [&](std::string_view what) {
    told = what;
    interrupt.raise();
  };
  const auto completion = device.synchronize({.interrupt = &interrupt, .deadline = {}, .grace = 0ms, .tell = tell});
  EXPECT_EQ(told, "compiling scan: optimisation");
  ASSERT_TRUE(completion.fault);
  EXPECT_EQ(completion.fault->kind, FaultKind::interrupted);
  EXPECT_EQ(completion.fault->message, "interrupted while the device was compiling scan: optimisation");
}

TEST(Supervision, AWindowThatIsTakenMovesEverything) {
  // Each process gets another window.
  const auto starts = file_name() + "-starts";
  unlink(starts.c_str());
  SupervisedDevice device(fake_worker({{"XCUDA_FAKE_WINDOW_MOVES", starts}}));
  Memory memory(device);
  const auto x = memory.allocate(1000, "x");
  device.post_name_range({x, 1000, 4, "x", "float"});
  device.post_fill(StreamId{0}, {x, 1000, {std::byte{7}}});
  device.synchronize({});
  const auto before = device.info().window;
  const auto recovery = device.restart();
  const auto after = device.info().window;
  unlink(starts.c_str());
  ASSERT_NE(before.base, after.base);
  EXPECT_FALSE(recovery.window_kept);
  EXPECT_TRUE(recovery.arrays_kept);
  memory.move_window(after);
  const auto moved = memory.holders().at(0).address;
  EXPECT_EQ(moved, x - before.base + after.base);
  std::vector<std::byte> bytes(1000);
  Transfer(device).read({.address = moved, .width = 1000}, bytes);
  EXPECT_EQ(bytes, std::vector<std::byte>(1000, std::byte{7}));
  memory.free(moved);
  memory.allocate(1000);
}

TEST(Supervision, MemoryThatEndsWithItsProcessIsSaidToBeLost) {
  SupervisedDevice device(fake_worker({{"XCUDA_FAKE_MEMORY_ENDS", "1"}}));
  EXPECT_FALSE(device.info().memory_outlives_process);
  Memory memory(device);
  const auto x = memory.allocate(1000);
  device.post_fill(StreamId{0}, {x, 1000, {std::byte{7}}});
  device.synchronize({});
  EXPECT_FALSE(device.restart().arrays_kept);
  std::vector<std::byte> bytes(1000);
  Transfer(device).read({.address = x, .width = 1000}, bytes);  // it is there, and zero
  EXPECT_EQ(bytes, std::vector<std::byte>(1000));
}

TEST(Supervision, AModuleThatKillsEveryProcessIsLeftOut) {
  // It loads, but each new process ends as it loads it again.
  const auto plan = file_name();
  SupervisedDevice device(fake_worker({{"XCUDA_FAKE_END_ALWAYS", "load_module " + plan}}));
  device.load_module(kernels(1));
  std::ofstream(plan) << "x";
  const auto recovery = device.restart();
  EXPECT_EQ(recovery.modules_lost, std::vector{ModuleId{1}});
  EXPECT_THROW(device.module_info(ModuleId{1}), Error);
  unlink(plan.c_str());
  device.load_module(kernels(1));
}

TEST(Supervision, ShutDownAndStartedAgain) {
  SupervisedDevice device(fake_worker());
  Memory memory(device);
  const auto x = memory.allocate(1000);
  device.post_fill(StreamId{0}, {x, 1000, {std::byte{7}}});
  device.synchronize({});
  device.rest();
  EXPECT_EQ(device.process(), 0);
  EXPECT_FALSE(has_children());
  EXPECT_THROW(device.info(), Error);
  EXPECT_TRUE(device.restart().arrays_kept);
  std::vector<std::byte> bytes(1000);
  Transfer(device).read({.address = x, .width = 1000}, bytes);
  EXPECT_EQ(bytes[999], std::byte{7});
}

TEST(Supervision, ARousedWorkerAnswersForWhatIsPostedSince) {
  Scene scene(fake_worker());
  auto& device = scene.device;
  const auto base = device.info().window.base;
  const auto file = device.create_memory({MemoryId{1}, base, 2 << 20});
  device.synchronize({});
  for (unsigned char value = 1; value <= 100; ++value) {
    device.rouse();
    if (value % 3 == 0) device.rouse();
    device.post_fill(StreamId{0}, {base, 100, {std::byte{value}}});
    device.post_read(StreamId{0}, {.to = 0, .from = base, .width = 100});
    EXPECT_FALSE(device.synchronize({}).fault);
    EXPECT_EQ(device.staging()[99], std::byte{value});
  }
  device.rouse();
  kill(device.process(), SIGKILL);
  device.post_fill(StreamId{0}, {base, 100, {std::byte{0}}});
  const auto completion = device.synchronize({});
  EXPECT_TRUE(completion.recovery && completion.recovery->complete());
}

TEST(Supervision, StartingDoesNotWait) {
  // A process that never answers is only noticed by the first call, and by its limit.
  auto options = ends_at("start", "hang");
  options.start_limit = 5s;
  SupervisedDevice device(options);
  device.post_fill(StreamId{0}, {0, 0, {std::byte{1}}});
  EXPECT_THROW(device.info(), Error);
  const auto kept = device.take_fault();
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->fault->kind, FaultKind::time_limit);
  EXPECT_TRUE(kept->recovery);
}

TEST(Supervision, BigPostsKeepTheirPlace) {
  SupervisedDevice device(fake_worker());
  device.load_module(kernels(1));
  const auto base = device.info().window.base;
  device.create_memory({MemoryId{1}, base, 8 << 20});
  std::vector<std::byte> pattern(1 << 20);  // more than a record of the ring may hold
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = static_cast<std::byte>(i % 251);
  device.post_fill(StreamId{0}, {base, 8 << 20, {std::byte{1}}});
  device.post_fill(StreamId{0}, {base, 3, pattern});
  device.post_copy(StreamId{0}, {.to = base + (6 << 20), .from = base + (1 << 20), .width = 1 << 20});
  device.post_fill(StreamId{0}, {base, 2, pattern});
  device.post_fill(StreamId{0}, {base + (2 << 20), 1 << 20, {std::byte{9}}});
  std::vector<std::byte> bytes(8 << 20);
  Transfer(device).read({.address = base, .width = bytes.size()}, bytes);
  EXPECT_EQ(bytes[250], std::byte{250});
  EXPECT_EQ(bytes[2 << 20], std::byte{9});
  EXPECT_EQ(bytes[(6 << 20) + 100], std::byte{100});
  EXPECT_EQ(bytes[7 << 20], std::byte{1});
}

}  // namespace
}  // namespace xcuda::device::contract
