#include "base/paths.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>

#include "base/error.hpp"

namespace xcuda {
namespace {

namespace fs = std::filesystem;

class Paths : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "paths-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
  }
  void TearDown() override {
    for (const char* const name :
         {"XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XCUDA_CACHE_DIR", "XCUDA_SHARE", "XCUDA_PROGRAMS"})
      unsetenv(name);
    if (home_.empty())
      unsetenv("HOME");
    else
      setenv("HOME", home_.c_str(), 1);
    fs::remove_all(folder_);
  }
  fs::path folder_;
  const std::string home_ = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "";
};

TEST_F(Paths, CachesFollowXdg) {
  EXPECT_EQ(cache_folder("cpu"), folder_ / "cache" / "xeus-cuda" / "cpu");
  setenv("XCUDA_CACHE_DIR", (folder_ / "own").c_str(), 1);
  EXPECT_EQ(cache_folder("cpu"), folder_ / "own" / "cpu");
  EXPECT_FALSE(fs::exists(folder_ / "own"));
  setenv("XCUDA_CACHE_DIR", "relative", 1);
  EXPECT_EQ(cache_folder("cpu"), folder_ / "cache" / "xeus-cuda" / "cpu");
}

TEST_F(Paths, DataFollowsXdg) {
  setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(data_file("history.jsonl"), "/data/xcuda/history.jsonl");
  unsetenv("XDG_DATA_HOME");
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(data_file("history.jsonl"), "/home/me/.local/share/xcuda/history.jsonl");
  setenv("HOME", "relative", 1);
  EXPECT_EQ(data_file("history.jsonl"), "");
}

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

// What is wrong with a folder, "" when it can be used.
std::string refusal(const fs::path& folder) {
  const auto result = make_private_folder(folder);
  const auto* error = std::get_if<Error>(&result);
  if (error == nullptr) return "";
  EXPECT_EQ(error->kind, ErrorKind::io);
  return error->library;
}

// True when it is true in a process of another user, whose descriptors and files are its own.
bool as_another_user(const std::function<bool()>& body) {
  const auto child = fork();
  if (child == 0) _exit(setgid(65534) == 0 && setuid(65534) == 0 && body() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(Paths, PrivateFoldersAreMadeAndClosedToOthers) {
  EXPECT_TRUE(std::holds_alternative<Error>(open_private_folder(folder_ / "a" / "b" / "c")));
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  EXPECT_EQ(refusal(folder_ / "a" / "b" / "c"), "");
  EXPECT_EQ(mode_of(folder_ / "a" / "b" / "c"), 0700u);
  EXPECT_EQ(mode_of(folder_ / "a" / "b"), 0700u);
  chmod((folder_ / "a" / "b" / "c").c_str(), 0755);
  EXPECT_EQ(refusal(folder_ / "a" / "b" / "c"), "");
  EXPECT_EQ(mode_of(folder_ / "a" / "b" / "c"), 0700u);
}

TEST_F(Paths, WhatOthersMayChangeIsNoPrivateFolder) {
  fs::create_directory(folder_ / "open");
  for (const mode_t mode : {0777u, 0770u, 0702u, 01777u}) {
    chmod((folder_ / "open").c_str(), mode);
    EXPECT_EQ(refusal(folder_ / "open"), "other users may write to it");
    EXPECT_EQ(mode_of(folder_ / "open"), mode);
  }
  std::ofstream(folder_ / "file") << "x";
  EXPECT_EQ(refusal(folder_ / "file"), errno_text(ENOTDIR));
  EXPECT_EQ(refusal(folder_ / "file" / "below"), errno_text(ENOTDIR));
  EXPECT_EQ(refusal(""), errno_text(ENOENT));
}

TEST_F(Paths, ALinkIsNoPrivateFolderAndItsTargetStaysAsItIs) {
  fs::create_directory(folder_ / "target");
  chmod((folder_ / "target").c_str(), 0755);
  fs::create_directory_symlink(folder_ / "target", folder_ / "link");
  EXPECT_NE(refusal(folder_ / "link"), "");
  EXPECT_EQ(mode_of(folder_ / "target"), 0755u);
  fs::create_directory_symlink(folder_ / "nowhere", folder_ / "dangling");
  EXPECT_NE(refusal(folder_ / "dangling"), "");
  EXPECT_FALSE(fs::exists(folder_ / "nowhere"));
}

TEST_F(Paths, AFolderOfAnotherUserIsNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be another user, too";
  chmod(folder_.c_str(), 01777);
  ASSERT_TRUE(as_another_user([&] { return mkdir((folder_ / "theirs").c_str(), 0700) == 0; }));
  EXPECT_EQ(refusal(folder_ / "theirs"), "it belongs to another user");
  // And the other way round.
  fs::create_directory(folder_ / "ours");
  chmod((folder_ / "ours").c_str(), 0755);
  EXPECT_TRUE(as_another_user([&] { return refusal(folder_ / "ours") == "it belongs to another user"; }));
  EXPECT_EQ(mode_of(folder_ / "ours"), 0755u);
}

// The name in /tmp is known to all; whoever takes it keeps nobody from starting.
TEST_F(Paths, TheRuntimeFolderGivesWay) {
  EXPECT_EQ(runtime_folder(), folder_ / "xeus-cuda");
  fs::remove(folder_ / "xeus-cuda");
  const auto target = folder_ / "target";
  fs::create_directory(target);
  chmod(target.c_str(), 0755);
  fs::create_directory_symlink(target, folder_ / "xeus-cuda");
  setenv("TMPDIR", folder_.c_str(), 1);
  const auto known = folder_ / ("xeus-cuda-" + std::to_string(geteuid()));
  EXPECT_EQ(runtime_folder(), known);
  EXPECT_EQ(mode_of(known), 0700u);
  fs::remove(known);
  fs::create_directory_symlink(target, known);
  // In a process of its own: the last resort lasts as long as one.
  const auto child = fork();
  if (child == 0) {
    const auto fresh = runtime_folder();
    const bool right = fresh.parent_path() == folder_ && fresh != known && mode_of(fresh) == 0700 &&
                       runtime_folder() == fresh && fs::exists(TemporaryFolder("x").path().parent_path());
    std::exit(right ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(mode_of(target), 0755u);
  for (const auto& entry : fs::directory_iterator(folder_))
    EXPECT_FALSE(entry.path().filename().string().starts_with(known.filename().string() + "-")) << entry.path();
  setenv("TMPDIR", "/proc/xcuda", 1);
  setenv("XDG_RUNTIME_DIR", "/proc/xcuda", 1);
  EXPECT_TRUE(TemporaryFolder::make("x"));  // /tmp is left
  unsetenv("TMPDIR");
}

TEST_F(Paths, ATemporaryFolderGoesWithItsObject) {
  fs::path path;
  {
    TemporaryFolder one("x"), two("x");
    EXPECT_NE(one.path(), two.path());
    std::ofstream(one.path() / "file") << "x";
    const TemporaryFolder moved(std::move(one));
    path = moved.path();
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(Paths, WhatAKilledProcessLeftIsRemovedAndNothingElse) {
  const auto make = [&](const std::string& name, time_t age) {
    const auto path = runtime_folder() / name;
    fs::create_directories(path);
    std::ofstream(path / "big.pch") << "x";
    const timespec then{time(nullptr) - age, 0};
    const timespec times[] = {then, then};
    utimensat(AT_FDCWD, path.c_str(), times, 0);
    return path;
  };
  const TemporaryFolder held("session");
  make(held.path().filename(), 3600);
  const auto left = make("session-AbCdEf", 3600), fresh = make("session-GhIjKl", 5), foreign = make("notes", 3600);
  remove_abandoned_folders(runtime_folder());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(held.path() / "big.pch"));
  EXPECT_TRUE(fs::exists(fresh));
  EXPECT_TRUE(fs::exists(foreign));
  remove_abandoned_folders(folder_ / "nowhere");
}

TEST(InstallPrefix, IsAboveBinAndAboveAWheelsOwnTree) {
  EXPECT_EQ(prefix_of("/usr/local/bin/xcuda"), "/usr/local");
  EXPECT_EQ(prefix_of("/home/me/env/lib/xeus-cuda/bin/xcuda"), "/home/me/env");
  EXPECT_EQ(prefix_of("/opt/xeus-cuda/bin/xcuda"), "/opt/xeus-cuda");
  EXPECT_EQ(prefix_of("/src/build/release/programs/xcuda"), "");
}

TEST_F(Paths, SiblingsAndSharedFiles) {
  EXPECT_EQ(sibling_program(program_path().filename().string()), program_path());
  try {
    sibling_program("no-such-program");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.library.find(program_path().parent_path().string()), std::string::npos);
  }
  fs::create_directories(folder_ / "xcuda");
  setenv("XCUDA_SHARE", folder_.c_str(), 1);
  EXPECT_EQ(shared_file("xcuda"), folder_ / "xcuda");
  EXPECT_THROW(shared_file("no/such/file"), Error);
}

}  // namespace
}  // namespace xcuda
