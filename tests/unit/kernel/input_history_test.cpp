#include "kernel/input_history.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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
  std::vector<History> histories;
  for (int t = 0; t < 4; ++t) histories.emplace_back(path_);
  std::vector<std::thread> threads;
  for (auto& history : histories)
    threads.emplace_back([&] {
      for (int line = 1; line <= 200; ++line) history.store(line, "cell");
    });
  for (auto& thread : threads) thread.join();
  for (auto& history : histories) history.tail(0);  // writes what found the lock held
  History reader(path_);
  EXPECT_EQ(reader.tail(10'000).size(), 800u);
  for (int session = 1; session <= 4; ++session) EXPECT_EQ(reader.range({session, 1, 0}).size(), 200u) << session;
}

// The file's lock as another process holds it: flock() is per open file.
class HeldLock {
 public:
  explicit HeldLock(const std::filesystem::path& path) : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    EXPECT_EQ(flock(file_.get(), LOCK_EX | LOCK_NB), 0);
  }

 private:
  File file_;
};

TEST_F(HistoryTest, AHeldLockHoldsNobodyUp) {
  History(path_).store(1, "old");
  History history(path_);
  {
    const HeldLock lock(path_);
    history.store(1, "a");
    history.store(2, "b");
    EXPECT_EQ(history.tail(9), (std::vector<HistoryEntry>{{1, 1, "old"}, {2, 1, "a"}, {2, 2, "b"}}));
    EXPECT_EQ(read().find("\"a\""), std::string::npos);
  }
  history.store(3, "c");
  EXPECT_EQ(History(path_).tail(9), (std::vector<HistoryEntry>{{1, 1, "old"}, {2, 1, "a"}, {2, 2, "b"}, {2, 3, "c"}}));
}

TEST_F(HistoryTest, WhatWaitedIsWrittenAtTheEnd) {
  History(path_).store(1, "old");
  {
    History history(path_);
    {
      const HeldLock lock(path_);
      history.store(1, "a");
    }
  }
  EXPECT_EQ(History(path_).tail(1), (std::vector<HistoryEntry>{{2, 1, "a"}}));
}

TEST_F(HistoryTest, ALockThatIsNeverReleasedIsSaidOnce) {
  History(path_).store(1, "old");
  std::vector<std::string> said;
  const HeldLock lock(path_);
  {
    History history(path_, History::kMaxFileBytes, [&](const std::string& text) { said.push_back(text); });
    for (int line = 1; line <= 3; ++line) history.store(line, "a");
  }
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("another process holds its lock"), std::string::npos) << said[0];
}

TEST_F(HistoryTest, TheNumberIsThatOfTheFileWhenTheLockIsFree) {
  History(path_).store(1, "old");
  History late(path_), early(path_);
  {
    const HeldLock lock(path_);
    late.store(1, "late");
    EXPECT_EQ(late.range({}), (std::vector<HistoryEntry>{{2, 1, "late"}}));
  }
  early.store(1, "early");
  late.store(2, "later");
  EXPECT_EQ(late.tail(9), (std::vector<HistoryEntry>{{1, 1, "old"}, {2, 1, "early"}, {3, 1, "late"}, {3, 2, "later"}}));
}

class UnusableHistory : public HistoryTest {
 protected:
  // What is said with the path as it is; the cells of the session are there anyhow.
  std::string said() {
    std::vector<std::string> lines;
    {
      History history(path_, 4000, [&](const std::string& text) { lines.push_back(text); });
      history.store(1, "a");
      history.store(2, "b");
      EXPECT_EQ(history.range({}).size(), 2u);
      EXPECT_EQ(history.range({}).back().code, "b");
    }
    EXPECT_EQ(lines.size(), 1u);
    return lines.empty() ? "" : lines[0];
  }
};

TEST_F(UnusableHistory, AFifo) {
  path_ = folder_ / "fifo";
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_NE(said().find("not a regular file"), std::string::npos);
}

TEST_F(UnusableHistory, ADevice) {
  path_ = "/dev/zero";
  EXPECT_NE(said().find("/dev/zero"), std::string::npos);
}

TEST_F(UnusableHistory, AFolder) {
  path_ = folder_;
  EXPECT_NE(said().find("EISDIR"), std::string::npos);
}

TEST_F(UnusableHistory, AFolderThatCannotBeMade) {
  std::ofstream(folder_ / "file") << "x";
  path_ = folder_ / "file/history.jsonl";
  EXPECT_NE(said().find("ENOTDIR"), std::string::npos);
}

TEST_F(UnusableHistory, AnotherUsersFile) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  path_ = folder_ / "history.jsonl";
  std::ofstream(path_) << "{\"s\":7,\"l\":1,\"c\":\"theirs\"}\n";
  ASSERT_EQ(chown(path_.c_str(), 65534, 65534), 0);
  EXPECT_NE(said().find("another user"), std::string::npos);
  EXPECT_EQ(read().find("\"a\""), std::string::npos);
}

TEST_F(UnusableHistory, AFileThatCannotBeWrittenIsRead) {
  if (geteuid() == 0) GTEST_SKIP() << "root writes every file";
  path_ = folder_ / "history.jsonl";
  History(path_).store(1, "old");
  ASSERT_EQ(chmod(path_.c_str(), 0400), 0);
  EXPECT_NE(said().find("EACCES"), std::string::npos);
  EXPECT_EQ(History(path_).tail(9), (std::vector<HistoryEntry>{{1, 1, "old"}}));
}

// A full disk, played by a limit on the size of files.
TEST_F(UnusableHistory, AFullDiskLeavesNoHalfLines) {
  path_ = folder_ / "history.jsonl";
  History(path_).store(1, "old");
  const auto before = read();
  rlimit whole{};
  getrlimit(RLIMIT_FSIZE, &whole);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit full{before.size() + 10, whole.rlim_max};
  setrlimit(RLIMIT_FSIZE, &full);
  const auto text = said();
  const auto after = read();
  setrlimit(RLIMIT_FSIZE, &whole);
  signal(SIGXFSZ, handler);
  EXPECT_NE(text.find("EFBIG"), std::string::npos) << text;
  EXPECT_EQ(after, before);
}

TEST_F(HistoryTest, OfAHugeFileTheEndIsRead) {
  path_ = folder_ / "history.jsonl";
  std::ofstream(path_) << "{\"s\":3,\"l\":1,\"c\":\"first\"}\n";
  std::filesystem::resize_file(path_, std::uintmax_t{1} << 36);  // a hole, which takes no room
  std::ofstream(path_, std::ios::app) << "\n{\"s\":4,\"l\":1,\"c\":\"last\"}\n";
  History history(path_);
  EXPECT_EQ(history.tail(9), (std::vector<HistoryEntry>{{4, 1, "last"}}));
  history.store(1, "new");
  EXPECT_EQ(history.tail(9), (std::vector<HistoryEntry>{{4, 1, "last"}, {5, 1, "new"}}));
  EXPECT_LE(std::filesystem::file_size(path_), History::kMaxFileBytes);
}

TEST_F(HistoryTest, OneEndlessLineIsNoEntry) {
  path_ = folder_ / "history.jsonl";
  std::ofstream(path_) << std::string(20'000, 'x');
  History history(path_, 4000);
  history.store(1, "a");
  EXPECT_EQ(history.tail(9), (std::vector<HistoryEntry>{{1, 1, "a"}}));
  EXPECT_EQ(History(path_).tail(9), (std::vector<HistoryEntry>{{1, 1, "a"}}));
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

}  // namespace
}  // namespace xcuda::kernel
