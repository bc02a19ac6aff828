#include "base/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/error.hpp"
#include "base/input_file.hpp"

namespace xcuda {
namespace {
namespace fs = std::filesystem;

class OutputFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "output-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string text(const std::string& name) const { return read_file(path(name), 1 << 20); }
  mode_t mode(const std::string& name) const {
    struct stat about {};
    EXPECT_EQ(lstat(path(name).c_str(), &about), 0);
    return about.st_mode;
  }
  // What write_file() says of a path, "" when it writes it.
  static std::string failure(const std::string& path) {
    try {
      write_file(path, "new");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind, ErrorKind::io);
      EXPECT_TRUE(error.message.starts_with("cannot write \"")) << error.message;
      return error.library;
    }
    return "";
  }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : fs::directory_iterator(folder_)) result.push_back(entry.path().filename());
    std::sort(result.begin(), result.end());
    return result;
  }
  static int open_descriptors() {
    return static_cast<int>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator{}));
  }
  // True when it is true in a process of its own, which may give up rights and room.
  static bool in_child(const std::function<bool()>& body) {
    const auto child = fork();
    if (child == 0) _exit(body() ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  fs::path folder_;
};

TEST_F(OutputFiles, AFileIsWrittenAndReplaced) {
  const auto mask = umask(022);
  write_file(path("x"), "one");
  umask(mask);
  EXPECT_EQ(text("x"), "one");
  EXPECT_EQ(mode("x") & 07777, 0644u);
  write_file(path("x"), "two");
  EXPECT_EQ(text("x"), "two");
  EXPECT_EQ(names(), std::vector<std::string>{"x"});
}

TEST_F(OutputFiles, TheModeOfAnOlderFileStays) {
  for (const mode_t wanted : {0600u, 0640u, 0755u, 0666u}) {
    write_file(path("x"), "old");
    ASSERT_EQ(chmod(path("x").c_str(), wanted), 0);
    write_file(path("x"), "new");
    EXPECT_EQ(mode("x") & 07777, wanted);
    EXPECT_EQ(text("x"), "new");
  }
}

TEST_F(OutputFiles, TheOwnerOfAnOlderFileStays) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give files to another user";
  write_file(path("x"), "old");
  ASSERT_EQ(chown(path("x").c_str(), 1234, 5678), 0);
  ASSERT_EQ(chmod(path("x").c_str(), 0600), 0);
  write_file(path("x"), "new");
  struct stat about {};
  ASSERT_EQ(stat(path("x").c_str(), &about), 0);
  EXPECT_EQ(about.st_uid, 1234u);
  EXPECT_EQ(about.st_gid, 5678u);
  EXPECT_EQ(about.st_mode & 07777, 0600u);
}

TEST_F(OutputFiles, WhatIsNoFileIsRefusedAndStays) {
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  fs::create_directory(path("folder"));
  fs::create_symlink("fifo", path("link"));
  fs::create_symlink("/dev/null", path("null"));
  EXPECT_EQ(failure(path("fifo")), "it is a FIFO, not a file");
  EXPECT_EQ(failure(path("link")), "it is a FIFO, not a file");
  EXPECT_EQ(failure(path("null")), "it is a character device, not a file");
  EXPECT_EQ(failure("/dev/full"), "it is a character device, not a file");
  EXPECT_EQ(failure(path("folder")), "it is a folder, not a file");
  EXPECT_TRUE(S_ISFIFO(mode("fifo")));
  struct stat about {};
  ASSERT_EQ(stat("/dev/full", &about), 0);
  EXPECT_TRUE(S_ISCHR(about.st_mode));
  EXPECT_EQ(names(), (std::vector<std::string>{"fifo", "folder", "link", "null"}));
}

TEST_F(OutputFiles, ANodeOfTheUsersOwnStays) {
  if (mknod(path("device").c_str(), S_IFCHR | 0600, (1 << 8) | 3) != 0) GTEST_SKIP() << "only root may make devices";
  EXPECT_EQ(failure(path("device")), "it is a character device, not a file");
  EXPECT_TRUE(S_ISCHR(mode("device")));
}

TEST_F(OutputFiles, LinksStayAndTheirTargetsAreWritten) {
  fs::create_directory(path("below"));
  write_file(path("below/file"), "old");
  chmod(path("below/file").c_str(), 0600);
  fs::create_symlink("file", path("below/second"));
  fs::create_symlink("below/second", path("first"));
  fs::create_symlink("below/made", path("dangling"));
  fs::create_symlink(path("absolute_target"), path("absolute"));
  write_file(path("first"), "new");
  write_file(path("dangling"), "made");
  write_file(path("absolute"), "abs");
  for (const auto* link : {"first", "below/second", "dangling", "absolute"}) EXPECT_TRUE(S_ISLNK(mode(link))) << link;
  EXPECT_EQ(text("below/file"), "new");
  EXPECT_EQ(mode("below/file") & 07777, 0600u);
  EXPECT_EQ(text("below/made"), "made");
  EXPECT_EQ(text("absolute_target"), "abs");
  fs::create_symlink("circle", path("circle"));
  EXPECT_EQ(failure(path("circle")), errno_text(ELOOP));
  fs::create_symlink("no/such/folder", path("lost"));
  EXPECT_EQ(failure(path("lost")), errno_text(ENOENT));
}

TEST_F(OutputFiles, NamesThatCannotBeSayWhy) {
  EXPECT_EQ(failure(path("no/such/folder/x")), errno_text(ENOENT));
  EXPECT_EQ(failure(""), errno_text(ENOENT));
  EXPECT_EQ(failure(path("x") + "/"), errno_text(EISDIR));
  EXPECT_EQ(failure(path(std::string(300, 'x'))), errno_text(ENAMETOOLONG));
  EXPECT_EQ(failure(path("x") + std::string("\0y", 2)), "its name holds a NUL byte");
  write_file(path(std::string(255, 'x')), "the longest name there is");
  EXPECT_EQ(names().size(), 1u);
}

TEST_F(OutputFiles, WithoutCommitTheOldFileStaysAndNothingElse) {
  write_file(path("x"), "old");
  const int before = open_descriptors();
  {
    OutputFile file(path("x"));
    file.write("half of the new");
    EXPECT_EQ(names().size(), 2u);
  }
  EXPECT_EQ(text("x"), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"x"});
  EXPECT_EQ(open_descriptors(), before);
}

// A limit on the size of files is a full disk that any user can have.
TEST_F(OutputFiles, WithoutRoomNothingIsLeft) {
  write_file(path("x"), "old");
  EXPECT_TRUE(in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_FSIZE, &none);
    const int before = open_descriptors();
    return failure(path("x")) == errno_text(EFBIG) && failure(path("y")) == errno_text(EFBIG) &&
           open_descriptors() == before;
  }));
  EXPECT_EQ(text("x"), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"x"});
}

TEST_F(OutputFiles, AFileThatMayNotBeWrittenIsNotReplaced) {
  write_file(path("x"), "old");
  chmod(path("x").c_str(), 0444);
  chmod(folder_.c_str(), 0777);
  EXPECT_TRUE(in_child([&] {
    if (geteuid() == 0 && setuid(65534) != 0) return false;
    return failure(path("x")) == errno_text(EACCES);
  }));
  EXPECT_EQ(text("x"), "old");
}

// What a killed process left under a name that this one would take.
TEST_F(OutputFiles, WhatKilledProcessesLeftIsRemoved) {
  for (int i = 0; i < 50; ++i)
    std::ofstream(path(".xcuda-" + std::to_string(getpid()) + "-" + std::to_string(i) + ".part"));
  write_file(path("x"), "new");
  EXPECT_EQ(text("x"), "new");
  EXPECT_EQ(names().size(), 1u);
}

}  // namespace
}  // namespace xcuda
