#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/host_memory.hpp"
#include "base/paths.hpp"
#include "base/shared_library.hpp"
#include "base/shared_memory.hpp"

namespace xcuda {
namespace {
namespace fs = std::filesystem;

TEST(SharedLibrary, FindsFunctions) {
  const SharedLibrary library("libm.so.6");
  EXPECT_EQ(library.get<double(double)>("floor")(1.5), 1.0);
  EXPECT_EQ(library.find<void()>("no_such_function"), nullptr);
  EXPECT_NE(library.path().find("libm.so.6"), std::string::npos);
  try {
    library.get<void()>("no_such_function");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message.find("libm.so.6"), std::string::npos);
    EXPECT_NE(error.message.find("no_such_function"), std::string::npos);
  }
}

TEST(SharedLibrary, TheErrorHoldsTheLoadersText) {
  try {
    SharedLibrary::open_first({"libnone-1.so", "libnone-2.so"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.library.find("libnone-1.so"), std::string::npos);
    EXPECT_NE(error.library.find("libnone-2.so"), std::string::npos);
  }
  EXPECT_TRUE(SharedLibrary::open_first({"libnone-1.so", "libm.so.6"}));
}

TEST(SharedMemory, TwoMappingsAreOne) {
  const auto file = make_memory_file("test", 8192);
  EXPECT_NE(fcntl(file.get(), F_GETFD) & FD_CLOEXEC, 0);
  const SharedMapping one(file, 8192), two(file, 4096, Populate::now);
  EXPECT_EQ(one.data()[100], std::byte{0});
  one.data()[100] = std::byte{5};
  EXPECT_EQ(two.data()[100], std::byte{5});
  EXPECT_THROW(SharedMapping(file, 16384), Error);
}

TEST(HostMemory, IsWithinTheMachine) {
  const auto memory = host_memory();
  EXPECT_GT(memory.available, 0u);
  EXPECT_LE(memory.available, memory.total);
}

TEST(SharedMemory, TooMuchIsAnError) {
  try {
    make_memory_file("much", std::uint64_t{1} << 60);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::memory);
    EXPECT_FALSE(error.library.empty());
  }
}

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
         {"XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "XCUDA_CACHE_DIR", "XCUDA_SHARE", "XCUDA_PROGRAMS"})
      unsetenv(name);
    fs::remove_all(folder_);
  }
  fs::path folder_;
};

TEST_F(Paths, FoldersFollowXdgAndArePrivate) {
  EXPECT_EQ(cache_folder(), folder_ / "cache" / "xeus-cuda");
  struct stat status {};
  ASSERT_EQ(stat(cache_folder().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  fs::permissions(cache_folder(), fs::perms::all);
  cache_folder();
  ASSERT_EQ(stat((folder_ / "cache" / "xeus-cuda").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  setenv("XCUDA_CACHE_DIR", (folder_ / "own").c_str(), 1);
  EXPECT_EQ(cache_folder(), folder_ / "own");
}

TEST_F(Paths, AFileInTheWayIsAnError) {
  std::ofstream(folder_ / "file") << "x";
  EXPECT_THROW(make_private_folder(folder_ / "file"), Error);
  EXPECT_THROW(make_private_folder(folder_ / "file" / "below"), Error);
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

TEST(Hash, KnownDigestAndPartsWithLengths) {
  // The digest of eight zero bytes, the length of an empty part; sha256sum says the same.
  EXPECT_EQ(Sha256().add("").hex(), "af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc");
  EXPECT_NE(Sha256().add("ab").add("c").hex(), Sha256().add("a").add("bc").hex());
  EXPECT_EQ(Sha256().add(5).hex(), Sha256().add(5).hex());
  EXPECT_NE(Sha256().add(5).hex(), Sha256().add(6).hex());
}

}  // namespace
}  // namespace xcuda
