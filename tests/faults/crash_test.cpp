// A process is killed before, and in the middle of, each call that changes a file: the content is old or new, never a
// mixture, and the next process leaves no temporary files.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "tests/faults/crash_work.hpp"
#include "tests/faults/faulty_session.hpp"
#include "tests/faults/must_end.hpp"

namespace xcuda::test {
namespace {

namespace fs = std::filesystem;

class Crash : public ::testing::TestWithParam<CrashWork> {
 protected:
  void SetUp() override {
    auto pattern = (fs::temp_directory_path() / "xcuda-crash-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    fs::current_path("/");
    fs::remove_all(folder_);
  }

  // In a folder of its own: the old content.
  void begin() {
    const auto folder = folder_ / fmt::format("{}", ++runs_);
    fs::create_directory(folder);
    fs::current_path(folder);
    ASSERT_EQ(run(GetParam().before, Mode::off, 0), 0);
  }

  static int work(Mode mode, std::int64_t number) { return run(GetParam().work, mode, number); }

  // In a process of its own, which has written to no folder yet; how it ended, as waitpid() says.
  static int run(void (*what)(), Mode mode, std::int64_t number) {
    auto& plan = shared_plan();
    plan.role = 0;
    plan.left = number;
    plan.struck = 0;
    plan.changes[0] = 0;
    must_end(fmt::format("the process of {}, change {}", GetParam().name, number));
    const auto pid = fork();
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      plan.mode = mode;
      what();
      plan.mode = Mode::off;
      _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    nothing_runs();
    plan.mode = Mode::off;
    return status;
  }

  static std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(fs::current_path()))
      names.push_back(fs::relative(entry.path()));
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path folder_;
  int runs_ = 0;
};

TEST_P(Crash, LeavesOldOrNew) {
  begin();
  ASSERT_EQ(work(Mode::count, 0), 0);
  ASSERT_EQ(GetParam().unfinished(), "");
  const auto points = shared_plan().changes[0].load();
  ASSERT_GT(points, 4u);
  const auto usual = names();
  int killed = 0;
  for (const auto mode : {Mode::kill_before, Mode::kill_half})
    for (std::uint32_t number = 1; number <= points; ++number) {
      SCOPED_TRACE(fmt::format("{} change {}", mode == Mode::kill_before ? "before" : "in the middle of", number));
      begin();
      const int status = work(mode, number);
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
      killed += WIFSIGNALED(status) ? 1 : 0;
      EXPECT_EQ(GetParam().wrong(), "");
      EXPECT_EQ(work(Mode::off, 0), 0);
      EXPECT_EQ(GetParam().unfinished(), "");
      EXPECT_EQ(names(), usual);
    }
  fmt::print("[  CRASHES ] {}: {} points\n", GetParam().name, killed);
}

INSTANTIATE_TEST_SUITE_P(All, Crash, ::testing::ValuesIn(crash_works()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace xcuda::test
