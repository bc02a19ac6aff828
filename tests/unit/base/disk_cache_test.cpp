#include "base/disk_cache.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

namespace xcuda {
namespace {
namespace fs = std::filesystem;

class DiskCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "cache-XXXXXX").string();
    base_ = mkdtemp(pattern.data());
    folder_ = base_ / "a" / "b";
  }
  void TearDown() override { fs::remove_all(base_); }
  static std::vector<std::byte> content(std::size_t size, int seed) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 31 + static_cast<std::size_t>(seed));
    return bytes;
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> result;
    for (const auto& entry : fs::directory_iterator(folder_)) result.push_back(entry.path());
    return result;
  }
  fs::path base_, folder_;
};

TEST_F(DiskCacheTest, FindsWhatWasStored) {
  DiskCache cache(folder_);
  EXPECT_EQ(cache.find("a"), std::nullopt);
  EXPECT_FALSE(fs::exists(folder_));
  cache.store("a", content(1001, 1));
  cache.store("b", content(0, 2));
  cache.store("../escape/\n", content(5, 3));  // any text is a key
  EXPECT_EQ(DiskCache(folder_).find("a"), content(1001, 1));
  cache.store("a", content(10, 3));
  EXPECT_EQ(cache.find("a"), content(10, 3));
  EXPECT_EQ(cache.find("b"), content(0, 2));
  EXPECT_EQ(cache.find("../escape/\n"), content(5, 3));
  EXPECT_EQ(cache.find("c"), std::nullopt);
  EXPECT_EQ(files().size(), 3u);
  struct stat status {};
  ASSERT_EQ(stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(DiskCacheTest, DamagedEntriesAreMissesAndGo) {
  DiskCache cache(folder_);
  cache.store("key", content(100, 1));
  const auto path = files().front();
  std::ifstream in(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto with = [&](const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    const bool found = cache.find("key").has_value();
    EXPECT_EQ(fs::exists(path), found);
    return found;
  };
  EXPECT_TRUE(with(whole));
  EXPECT_FALSE(with(""));
  EXPECT_FALSE(with(whole + "x"));
  for (std::size_t size = 0; size < whole.size(); size += 5) EXPECT_FALSE(with(whole.substr(0, size))) << size;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    auto flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x20);
    EXPECT_FALSE(with(flipped)) << i;
  }
  cache.store("key", content(100, 1));
  EXPECT_TRUE(cache.find("key"));
}

// Whole entries, each in the other's place: their checksums are right, and they are not what is asked for.
TEST_F(DiskCacheTest, ExchangedEntriesAreMissesAndGo) {
  DiskCache cache(folder_);
  cache.store("a", content(100, 1));
  const auto a = files().front();
  cache.store("b", content(100, 2));
  auto all = files();
  const auto b = all[0] == a ? all[1] : all[0];
  fs::rename(a, base_ / "saved");
  fs::rename(b, a);
  fs::rename(base_ / "saved", b);
  EXPECT_EQ(cache.find("a"), std::nullopt);
  EXPECT_EQ(cache.find("b"), std::nullopt);
  EXPECT_TRUE(files().empty());
}

TEST_F(DiskCacheTest, AnEntryIsAFileOfThisUser) {
  DiskCache cache(folder_);
  cache.store("a", content(100, 1));
  const auto path = files().front();
  fs::rename(path, base_ / "elsewhere");
  fs::create_symlink(base_ / "elsewhere", path);
  EXPECT_EQ(cache.find("a"), std::nullopt);
  EXPECT_TRUE(fs::exists(base_ / "elsewhere"));
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);  // nothing waits for it
  EXPECT_EQ(cache.find("a"), std::nullopt);
  cache.store("a", content(100, 1));
  if (geteuid() != 0) return;
  ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
  EXPECT_EQ(cache.find("a"), std::nullopt);
}

TEST_F(DiskCacheTest, AFolderThatOthersMayWriteIsNotUsed) {
  DiskCache cache(folder_);
  cache.store("a", content(10, 1));
  chmod(folder_.c_str(), 0777);
  EXPECT_EQ(cache.find("a"), std::nullopt);
  cache.store("b", content(10, 2));
  EXPECT_EQ(files().size(), 1u);
  chmod(folder_.c_str(), 0700);
  EXPECT_EQ(cache.find("a"), content(10, 1));
}

TEST_F(DiskCacheTest, WhatCannotBeWrittenIsNoError) {
  for (const auto* folder : {"", "/proc/xcuda/cache", "/dev/null/cache"}) {
    DiskCache cache(folder);
    cache.store("a", content(10, 1));
    EXPECT_EQ(cache.find("a"), std::nullopt);
  }
}

TEST_F(DiskCacheTest, TheBoundHolds) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "notes.txt") << "not ours";
  for (int i = 0; i < 20; ++i) {
    DiskCache(folder_, 1'000'000).store(std::to_string(i), content(100'000, i));
    if (i > 0) DiskCache(folder_).find("0");  // used all the time
  }
  std::uint64_t total = 0;
  for (const auto& path : files()) total += fs::file_size(path);
  EXPECT_LE(total, 1'000'000u);
  EXPECT_TRUE(DiskCache(folder_).find("0"));
  EXPECT_TRUE(DiskCache(folder_).find("19"));
  EXPECT_FALSE(DiskCache(folder_).find("1"));
  EXPECT_TRUE(fs::exists(folder_ / "notes.txt"));
}

TEST_F(DiskCacheTest, OneObjectKeepsTheBoundToo) {
  DiskCache cache(folder_, 100'000);
  for (int i = 0; i < 50; ++i) cache.store(std::to_string(i), content(10'000, i));
  std::uint64_t total = 0;
  for (const auto& path : files()) total += fs::file_size(path);
  EXPECT_LE(total, 125'000u);
  EXPECT_EQ(cache.find("49"), content(10'000, 49));
}

TEST_F(DiskCacheTest, ManyWritersAtOnce) {
  std::vector<std::thread> writers;
  for (int t = 0; t < 4; ++t)
    writers.emplace_back([&, t] {
      DiskCache cache(folder_, 300'000);
      for (int i = 0; i < 50; ++i) {
        const auto key = std::to_string(i % 5);
        cache.store(key, std::vector<std::byte>(20'000, static_cast<std::byte>(t)));
        if (const auto found = cache.find(key)) {
          EXPECT_EQ(*found, std::vector<std::byte>(20'000, found->front()));
        }
      }
    });
  for (auto& writer : writers) writer.join();
}

}  // namespace
}  // namespace xcuda
