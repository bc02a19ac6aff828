// The ranks of an MPI job as one device: xcuda-mpi and the CPU device's workers, all on this host.
#include "device/ranks/rank_set.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "device/memory.hpp"
#include "device/transfer.hpp"
#include "tests/places.hpp"

namespace xcuda::device::contract {
namespace {

using ranks::RankDevice;
using ranks::RankJob;
using ranks::RankSet;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// x[i] = i + v for a thread each.
constexpr const char* kCount = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry count(.param .u64 x, .param .u32 v)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [x];
  ld.param.u32 %r1, [v];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  add.s32 %r3, %r1, %r2;
  st.global.u32 [%rd3], %r3;
  ret;
}
)";

bool has_mpirun() { return std::system("mpirun --version > /dev/null 2>&1") == 0; }

std::vector<int> children_of(int pid) {
  std::vector<int> found;
  std::error_code gone;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", gone)) {
    std::ifstream file(task.path() / "children");
    for (int child = 0; file >> child;) {
      found.push_back(child);
      for (const int below : children_of(child)) found.push_back(below);
    }
  }
  return found;
}

class Ranks : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_mpirun()) GTEST_SKIP() << "mpirun is not installed (Debian: openmpi-bin)";
    for (const auto* allow : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"}) setenv(allow, "1", 1);
    start("mpirun --enable-recovery --oversubscribe --bind-to none -n 3", 3);
  }
  void start(const std::string& launcher, std::uint32_t count) {
    job = std::make_shared<RankJob>(ranks::JobOptions{test::program_file("xcuda-mpi"), launcher, count, {}});
    std::vector<std::unique_ptr<Device>> members;
    for (std::uint32_t rank = 0; rank < count; ++rank)
      members.push_back(std::make_unique<RankDevice>(job, rank, nullptr));
    set = std::make_unique<RankSet>(job, std::move(members), nullptr);
  }
  void load() {
    set->info();
    memory = std::make_unique<Memory>(*set);
    set->load_module({ModuleId{1}, "In[1]", kCount, {}, {}, {}});
  }
  void count(std::uint32_t device, Address x, std::uint32_t v, std::uint32_t threads) {
    LaunchRequest request;
    request.number = ++number;
    request.module = ModuleId{1};
    request.entry = "count";
    request.stream = on_device({}, device);
    request.grid = {1, 1, 1};
    request.block = {threads, 1, 1};
    request.arguments.resize(12);
    std::memcpy(request.arguments.data(), &x, 8);
    std::memcpy(request.arguments.data() + 8, &v, 4);
    set->post_launch(request);
  }
  std::vector<std::uint32_t> read(Address from, std::size_t count) const {
    std::vector<std::uint32_t> values(count);
    Transfer(*set).read({from, count * 4}, std::as_writable_bytes(std::span(values)));
    return values;
  }
  std::vector<int> processes() const {
    std::vector<int> found;
    for (const int pid : children_of(job->pid())) {
      std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
      std::stringstream words;
      words << file.rdbuf();
      if (words.str().find(std::string("xcuda-mpi\0rank", 14)) != std::string::npos && words.str().front() == '/' &&
          words.str().find("mpirun") == std::string::npos)
        found.push_back(pid);
    }
    return found;
  }
  std::shared_ptr<RankJob> job;
  std::unique_ptr<RankSet> set;
  std::unique_ptr<Memory> memory;
  std::uint64_t number = 0;
};

TEST_F(Ranks, HaveMemoryOfTheirOwnThatTheSessionReaches) {
  load();
  ASSERT_EQ(set->devices(), 3U);
  EXPECT_NE(set->info().name.find(" on "), std::string::npos);
  // A range whose parts meet in the middle of a page.
  const auto u = memory->allocate(Placement{{{0, 40}, {1, 44}, {2, 36}}}, "u");
  EXPECT_EQ(memory->homes_of(u, 120).size(), 3U);
  std::vector<std::uint32_t> values(30);
  for (std::uint32_t i = 0; i < 30; ++i) values[i] = 100 + i;
  Transfer(*set).write({u, 120}, std::as_bytes(std::span(values)));
  EXPECT_EQ(read(u, 30), values);
  // One launch on each, at its part.
  count(0, u, 7, 10);
  count(1, u + 40, 20, 11);
  count(2, u + 84, 40, 9);
  const auto counted = read(u, 30);
  EXPECT_EQ(counted[0], 7U);
  EXPECT_EQ(counted[9], 16U);
  EXPECT_EQ(counted[10], 20U);
  EXPECT_EQ(counted[20], 30U);
  EXPECT_EQ(counted[21], 40U);
  EXPECT_EQ(counted[29], 48U);
  // A fill whose patterns cross the borders.
  set->post_fill({}, {u, 15, std::vector<std::byte>(8, std::byte{1})});
  EXPECT_EQ(read(u, 30), std::vector<std::uint32_t>(30, 0x01010101));
}

TEST_F(Ranks, ExchangeWhatIsCopiedBetweenThem) {
  load();
  const std::uint64_t bytes = 5 * kMiB + 12;
  const auto copies = memory->copies_of(memory->allocate_replicas(bytes, 3, "w"));
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    set->post_fill(on_device({}, rank), {copies[rank], bytes / 4, std::vector<std::byte>(4, std::byte(rank + 1))});
  // Each gets the next one's in turn: the second copy needs the first.
  set->post_copy({}, {.to = copies[0], .from = copies[1], .width = bytes});
  set->post_copy({}, {.to = copies[2], .from = copies[0], .width = bytes});
  set->post_copy({}, {.to = copies[1] + 4, .from = copies[2], .width = 4});
  EXPECT_EQ(read(copies[0] + bytes - 8, 2), std::vector<std::uint32_t>(2, 0x02020202));
  EXPECT_EQ(read(copies[2], 2), std::vector<std::uint32_t>(2, 0x02020202));
  EXPECT_EQ(read(copies[1], 2), std::vector<std::uint32_t>(2, 0x02020202));
  // Rows of a rectangle.
  set->post_copy({}, {.to = copies[0], .from = copies[2], .width = 4, .height = 2, .to_pitch = 8, .from_pitch = 4});
  count(1, copies[1], 5, 2);
  set->post_copy({}, {.to = copies[0] + 4, .from = copies[1] + 4, .width = 4});
  EXPECT_EQ(read(copies[0], 2), (std::vector<std::uint32_t>{0x02020202, 6}));
}

TEST_F(Ranks, AFaultEndsTheProcessOfOneAndKeepsAllArrays) {
  load();
  const auto copies = memory->copies_of(memory->allocate_replicas(64, 3, "w"));
  for (std::uint32_t rank = 0; rank < 3; ++rank) count(rank, copies[rank], rank, 16);
  EXPECT_FALSE(set->synchronize({}).fault);
  count(1, 0, 0, 1);
  const auto completion = set->synchronize({});
  ASSERT_TRUE(completion.fault);
  EXPECT_EQ(completion.fault->device, 1U);
  ASSERT_TRUE(completion.recovery);
  EXPECT_TRUE(completion.recovery->complete());
  for (std::uint32_t rank = 0; rank < 3; ++rank) EXPECT_EQ(read(copies[rank], 16)[15], rank + 15);
  count(1, copies[1], 50, 16);
  EXPECT_EQ(read(copies[1], 1)[0], 50U);
  EXPECT_TRUE(set->restart().complete());  // of each device's process
  EXPECT_EQ(read(copies[1], 1)[0], 50U);
}

TEST_F(Ranks, ALostOneIsNamedAndTheOthersGoOn) {
  load();
  const auto copies = memory->copies_of(memory->allocate_replicas(64, 3, "w"));
  const auto large = memory->copies_of(memory->allocate_replicas(8 * kMiB, 3, "large"));
  for (std::uint32_t rank = 0; rank < 3; ++rank) count(rank, copies[rank], rank, 16);
  EXPECT_FALSE(set->synchronize({}).fault);
  const auto pids = processes();
  ASSERT_EQ(pids.size(), 3U);
  kill(pids[2], SIGKILL);
  auto completion = set->synchronize({});
  while (!completion.fault) completion = set->synchronize({});
  EXPECT_EQ(completion.fault->device, 2U);
  EXPECT_NE(completion.fault->message.find("rank 2 on "), std::string::npos) << completion.fault->message;
  EXPECT_FALSE(completion.recovery);
  EXPECT_TRUE(set->lives());
  EXPECT_FALSE(set->synchronize({}).fault);  // told once
  EXPECT_EQ(read(copies[0], 16)[15], 15U);
  EXPECT_EQ(read(copies[1], 16)[15], 16U);
  // An exchange of the others works, and one with the lost rank is an error.
  set->post_copy({}, {.to = copies[0], .from = copies[1], .width = 64});
  EXPECT_EQ(read(copies[0], 1)[0], 1U);
  set->post_copy({}, {.to = large[0], .from = large[1], .width = 4 * kMiB});
  set->post_copy({}, {.to = large[0] + 4 * kMiB, .from = large[2], .width = 4 * kMiB});
  const auto refused = set->synchronize({}).refused;
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(read(copies[1], 16)[15], 16U);  // it has sent its half
  EXPECT_NE(refused.front().library.find("rank 2 on "), std::string::npos) << refused.front().library;
  count(2, copies[2], 0, 16);
  EXPECT_TRUE(set->synchronize({}).fault);
  EXPECT_EQ(read(copies[0], 1)[0], 1U);
  // All start again, with new arrays.
  const auto recovery = set->restart();
  EXPECT_FALSE(recovery.arrays_kept);
  count(2, copies[2], 3, 16);
  EXPECT_EQ(read(copies[2], 16)[15], 18U);
}

TEST_F(Ranks, AreNotStartedByACommandThatFails) {
  set.reset();
  start("echo no such launcher >&2; false", 1);
  try {
    set->info();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message.find("cannot start 1 ranks by `echo"), std::string::npos) << error.message;
    EXPECT_NE(error.library.find("no such launcher"), std::string::npos) << error.library;
  }
}

}  // namespace
}  // namespace xcuda::device::contract
