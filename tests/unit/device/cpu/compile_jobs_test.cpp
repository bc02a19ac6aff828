// Kernels that are compiled in threads of their own: what comes first, what waits, what is dropped.
#include "device/cpu/compile_jobs.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <latch>

namespace xcuda::device::cpu {
namespace {

CompiledKernel kernel_of(std::size_t bytes) {
  CompiledKernel kernel;
  kernel.object.resize(bytes);
  return kernel;
}

CompileJobs::Work giving(std::size_t bytes) {
  return [bytes](CompileJob&) { return kernel_of(bytes); };
}

// One that begins when it is let.
struct Held {
  std::latch begun{1}, let{1};
  CompileJobs::Work work() {
    return [this](CompileJob& job) {
      begun.count_down();
      let.wait();
      job.begin("object");
      return kernel_of(1);
    };
  }
};

TEST(CompileJobs, GiveWhatTheyMade) {
  CompileJobs jobs(1);
  const auto job = jobs.begin("scan", giving(7));
  EXPECT_TRUE(job->wait({}));
  EXPECT_EQ(job->take().object.size(), 7u);
}

TEST(CompileJobs, ThrowWhatTheWorkThrew) {
  CompileJobs jobs(1);
  const auto job =
      jobs.begin("scan", [](CompileJob&) -> CompiledKernel { throw Error(ErrorKind::unsupported, "an instruction"); });
  EXPECT_TRUE(job->wait({}));
  try {
    job->take();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message, "an instruction");
  }
}

TEST(CompileJobs, AWaitTellsAndMayBeGivenUp) {
  CompileJobs jobs(1);
  Held held;
  const auto job = jobs.begin("scan", held.work());
  held.begun.wait();
  std::vector<std::string> told;
  const auto tell = [&](std::string_view what) { told.emplace_back(what); };
  EXPECT_FALSE(job->wait({[] { return true; }, tell}));
  EXPECT_EQ(told, (std::vector<std::string>{"compiling scan: waiting", ""}));
  held.let.count_down();
  EXPECT_TRUE(job->wait({}));  // it went on
  told.clear();
  EXPECT_TRUE(job->wait({[] { return true; }, tell}));  // what is done needs no wait
  EXPECT_EQ(told, (std::vector<std::string>{"compiling scan: machine code", ""}));
}

TEST(CompileJobs, SeveralRunAtOnce) {
  CompileJobs jobs(2);
  std::barrier both(2);  // each waits for the other
  const auto meeting = [&](CompileJob&) {
    both.arrive_and_wait();
    return kernel_of(1);
  };
  const auto first = jobs.begin_ahead("first", meeting), second = jobs.begin_ahead("second", meeting);
  EXPECT_TRUE(first->wait({}));
  EXPECT_TRUE(second->wait({}));
}

TEST(CompileJobs, WhatALaunchWaitsForDoesNotWaitForOthers) {
  CompileJobs jobs(1);
  Held held;
  const auto ahead = jobs.begin_ahead("ahead", held.work());
  held.begun.wait();  // it has the one thread there is for such
  const auto wanted = jobs.begin("wanted", giving(3));
  EXPECT_TRUE(wanted->wait({}));
  held.let.count_down();
  EXPECT_TRUE(ahead->wait({}));
}

TEST(CompileJobs, NothingBeginsAheadWhileALaunchRunsUnlessItIsWanted) {
  CompileJobs jobs(1);
  std::atomic<int> made = 0;
  const auto counted = [&](CompileJob&) {
    ++made;
    return kernel_of(1);
  };
  jobs.pause();
  const auto later = jobs.begin_ahead("later", counted), soon = jobs.begin_ahead("soon", counted);
  jobs.hurry(soon);
  EXPECT_TRUE(soon->wait({}));
  EXPECT_TRUE(jobs.begin("wanted", giving(1))->wait({}));
  EXPECT_EQ(made, 1);
  EXPECT_TRUE(jobs.go_on());
  EXPECT_TRUE(later->wait({}));
  EXPECT_EQ(made, 2);
  EXPECT_FALSE(jobs.go_on());
}

TEST(CompileJobs, OneThatIsDroppedEndsAtItsNextPhase) {
  CompileJobs jobs(1);
  Held held;
  const auto job = jobs.begin("scan", held.work());
  held.begun.wait();
  job->drop();
  held.let.count_down();
  EXPECT_TRUE(job->wait({}));
  EXPECT_THROW(job->take(), Error);
}

TEST(CompileJobs, ALibraryIsNotCompiledAsAWhole) {
  CompileJobs jobs(1);
  jobs.pause();
  std::vector<std::shared_ptr<CompileJob>> all;
  while (auto job = jobs.begin_ahead("one of many", giving(1))) {
    all.push_back(std::move(job));
    ASSERT_LE(all.size(), 1000u);
  }
  all.front()->drop();
  EXPECT_NE(jobs.begin_ahead("in its place", giving(1)), nullptr);
}

TEST(CompileJobs, TheEndDropsWhatHasNotBegun) {
  Held held;
  std::atomic<bool> begun = false;
  {
    CompileJobs jobs(1);
    jobs.begin_ahead("runs", held.work());
    held.begun.wait();
    jobs.begin_ahead("waits", [&](CompileJob&) {
      begun = true;
      return kernel_of(1);
    });
    jobs.pause();
    held.let.count_down();
  }
  EXPECT_FALSE(begun);
}

TEST(CompileJobs, FactsComeWithTheEnd) {
  CompileJobs jobs(1);
  const auto job = jobs.begin("scan", [](CompileJob& self) {
    EXPECT_EQ(self.facts().state, NativeCode::State::compiling);
    self.finish({NativeCode::State::stored, "", 12, 34});
    return kernel_of(1);
  });
  EXPECT_TRUE(job->wait({}));
  EXPECT_EQ(job->facts().state, NativeCode::State::stored);
  EXPECT_EQ(job->facts().bytes, 12u);
}

}  // namespace
}  // namespace xcuda::device::cpu
