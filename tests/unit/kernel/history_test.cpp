#include "kernel/history.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace xcuda::kernel {
namespace {

class HistoryTest : public testing::Test {
 protected:
  HistoryTest() {
    char name[] = "/tmp/xcuda-history-XXXXXX";
    folder_ = mkdtemp(name);
    path_ = folder_ / "new/folder/history.jsonl";
  }
  ~HistoryTest() override { std::filesystem::remove_all(folder_); }

  std::string read() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path folder_, path_;
};

TEST_F(HistoryTest, SessionsFollowEachOther) {
  History first(path_);
  first.store(1, "a");
  History second(path_);
  second.store(1, "b");
  first.store(2, "c");
  EXPECT_EQ(second.tail(9), (std::vector<HistoryEntry>{{1, 1, "a"}, {1, 2, "c"}, {2, 1, "b"}}));
  EXPECT_EQ(second.range({-1, 1, 0}), (std::vector<HistoryEntry>{{1, 1, "a"}, {1, 2, "c"}}));
  EXPECT_EQ(first.range({}), (std::vector<HistoryEntry>{{1, 1, "a"}, {1, 2, "c"}}));
}

TEST_F(HistoryTest, NothingIsWrittenBeforeTheFirstUse) {
  History history(path_);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(HistoryTest, TheFileIsPrivate) {
  const auto before = umask(0);
  History(path_).store(1, "a");
  umask(before);
  EXPECT_EQ(static_cast<int>(std::filesystem::status(path_).permissions()), 0600);
  EXPECT_EQ(static_cast<int>(std::filesystem::status(path_.parent_path()).permissions()), 0700);
}

TEST_F(HistoryTest, WithoutAPathItLivesInMemory) {
  History history("");
  history.store(1, "a");
  EXPECT_EQ(history.tail(1), (std::vector<HistoryEntry>{{1, 1, "a"}}));
}

TEST_F(HistoryTest, TheFileStaysBounded) {
  constexpr std::size_t limit = 4000;
  for (int session = 1; session < 30; ++session) {
    History history(path_, limit);
    for (int line = 1; line <= 5; ++line) history.store(line, std::string(100, 'x'));
    EXPECT_LE(read().size(), limit + 2000);
    EXPECT_EQ(history.range({0, 1, 0}).size(), 5u);
  }
}

TEST_F(HistoryTest, AKernelNoticesThatAnotherReplacedTheFile) {
  History old(path_, 4000);
  for (int line = 1; line <= 60; ++line) old.store(line, std::string(100, 'x'));
  History other(path_, 4000);
  other.store(1, "other");
  old.store(61, "after");
  EXPECT_NE(read().find("after"), std::string::npos);
  EXPECT_EQ(other.search({"after", -1, false}).size(), 1u);
}

TEST_F(HistoryTest, AHugeCellIsNotKeptInTheFile) {
  History history(path_, 4000);
  history.store(1, std::string(100'000, 'x'));
  EXPECT_LT(read().size(), 1000u);
  EXPECT_EQ(history.tail(1).at(0).code.size(), 100'000u);
}

TEST_F(HistoryTest, SeveralSessionsWriteAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      History history(path_);
      for (int line = 1; line <= 200; ++line) history.store(line, "cell");
    });
  for (auto& thread : threads) thread.join();
  History reader(path_);
  EXPECT_EQ(reader.tail(10'000).size(), 800u);
  for (int session = 1; session <= 4; ++session) EXPECT_EQ(reader.range({session, 1, 0}).size(), 200u) << session;
}

TEST(Glob, Matches) {
  EXPECT_TRUE(glob_match("", ""));
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("a*b*c", "a--b--b--c"));
  EXPECT_FALSE(glob_match("a*b*c", "a--b--b--"));
  EXPECT_TRUE(glob_match("?", "é"));
  EXPECT_FALSE(glob_match("?", ""));
  EXPECT_TRUE(glob_match("[a-cx]*", "cat"));
  EXPECT_FALSE(glob_match("[a-c]", "d"));
  EXPECT_TRUE(glob_match("[!a-c]", "d"));
  EXPECT_TRUE(glob_match("[^a-c]", "d"));
  EXPECT_TRUE(glob_match("[à-ü]", "é"));
  EXPECT_TRUE(glob_match("[]]", "]"));
  EXPECT_TRUE(glob_match("[!]]", "x"));
  EXPECT_TRUE(glob_match("[a-]", "-"));
  EXPECT_TRUE(glob_match("a[b", "a[b"));
  EXPECT_TRUE(glob_match("*\n*", "a\nb"));
}

TEST(Glob, TakesItsTimeWithManyStars) { EXPECT_FALSE(glob_match("*a*a*a*a*a*a*a*a*a*a*b", std::string(20'000, 'a'))); }

TEST(DefaultHistoryPath, FollowsTheEnvironment) {
  setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(default_history_path(), "/data/xcuda/history.jsonl");
  unsetenv("XDG_DATA_HOME");
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(default_history_path(), "/home/me/.local/share/xcuda/history.jsonl");
  setenv("HOME", "relative", 1);
  EXPECT_EQ(default_history_path(), "");
}

}  // namespace
}  // namespace xcuda::kernel
