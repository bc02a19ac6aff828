#include "base/abandoned.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace xcuda {
namespace {
namespace fs = std::filesystem;

class Abandoned : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "abandoned-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    opened_ = File(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  void TearDown() override { fs::remove_all(folder_); }
  File create(const std::string& name) const {
    return File(open((folder_ / name).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  }
  bool there(const std::string& name) const { return fs::exists(fs::symlink_status(folder_ / name)); }
  void clean() const {
    remove_abandoned_files(opened_, [](std::string_view name) { return name.starts_with("part"); });
  }

  fs::path folder_;
  File opened_;
};

TEST_F(Abandoned, FilesThatNobodyHoldsAreRemoved) {
  create("part1");
  create("other");
  const auto held = create("part2");
  ASSERT_TRUE(hold(held));
  clean();
  EXPECT_FALSE(there("part1"));
  EXPECT_TRUE(there("part2") && there("other"));
}

TEST_F(Abandoned, LinksAndFoldersStay) {
  fs::create_directory(folder_ / "part-folder");
  fs::create_symlink(folder_ / "target", folder_ / "part-link");
  create("target");
  ASSERT_EQ(mkfifo((folder_ / "part-fifo").c_str(), 0600), 0);
  clean();
  EXPECT_TRUE(there("part-folder") && there("part-link") && there("part-fifo") && there("target"));
}

TEST_F(Abandoned, AFileThatWasRemovedBeforeItWasHeldIsNoted) {
  const auto late = create("part");
  clean();
  EXPECT_FALSE(hold(late));
}

}  // namespace
}  // namespace xcuda
