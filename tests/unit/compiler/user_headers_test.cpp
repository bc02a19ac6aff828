#include "compiler/user_headers.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace xcuda::compiler {
namespace {
namespace fs = std::filesystem;

class UserHeaderFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "headers-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  std::optional<std::string> find(const std::string& name) {
    headers_ = {};
    return headers_.find({name, true, {.source = "In[1]", .line = 3}}, folder_, {});
  }
  // What is wrong with the header of this name: what the library said, and where it is included.
  std::string failure(const std::string& name) {
    find(name);
    const auto& error = headers_.failure();
    if (!error) return "";
    return error->library + (error->place ? " " + error->place->source + ":" + std::to_string(error->place->line) : "");
  }
  fs::path folder_;
  UserHeaders headers_;
};

TEST_F(UserHeaderFiles, NestedOnesAreListedInOrderAndOnce) {
  write("a.cuh", "#include \"b.cuh\"\n#include <vector>\n#include \"c.cuh\"\n");
  write("b.cuh", "#include \"c.cuh\"\nint b;\n");
  write("c.cuh", "#include \"a.cuh\"\n");  // a circle
  EXPECT_EQ(find("a.cuh"), (folder_ / "a.cuh").string());
  std::string order;
  for (const auto& header : headers_.take()) order += fs::path(header.path).filename().string() + " ";
  EXPECT_EQ(order, "a.cuh b.cuh c.cuh ");
  EXPECT_TRUE(headers_.complete());
  EXPECT_FALSE(headers_.failure());
}

// Once it was as deep on the stack.
TEST_F(UserHeaderFiles, AnyDepthIsFollowed) {
  constexpr int kDepth = 20'000;
  for (int i = 0; i < kDepth; ++i) write("h" + std::to_string(i), "#include \"h" + std::to_string(i + 1) + "\"\n");
  write("h" + std::to_string(kDepth), "");
  find("h0");
  EXPECT_EQ(headers_.take().size(), kDepth + 1u);
}

TEST_F(UserHeaderFiles, WhatHasNoEndIsRefusedWhereItIsIncluded) {
  ASSERT_EQ(mkfifo((folder_ / "fifo.cuh").c_str(), 0600), 0);
  write("outer.cuh", "#pragma once\n#include \"fifo.cuh\"\n");
  write("bomb.cuh", "");
  ASSERT_EQ(truncate((folder_ / "bomb.cuh").c_str(), off_t{1} << 40), 0);
  EXPECT_EQ(failure("fifo.cuh"), "it is a FIFO, not a file In[1]:3");
  EXPECT_EQ(failure("outer.cuh"), "it is a FIFO, not a file " + (folder_ / "outer.cuh").string() + ":2");
  EXPECT_EQ(failure("/dev/zero"), "it is a character device, not a file In[1]:3");
  EXPECT_EQ(failure("bomb.cuh"), "it is longer than 64.0 MiB, the limit In[1]:3");
  EXPECT_EQ(failure("/proc/self/mem"), errno_text(EIO) + " In[1]:3");
}

TEST_F(UserHeaderFiles, WhatIsNotThereIsLeftToTheCompiler) {
  fs::create_directory(folder_ / "folder.cuh");
  for (const auto& name : {std::string("none.cuh"), std::string("folder.cuh"), std::string(10'000, 'x')}) {
    EXPECT_EQ(find(name), std::nullopt);
    EXPECT_FALSE(headers_.failure());
  }
}

TEST_F(UserHeaderFiles, AFolderInFrontDoesNotHideAFile) {
  fs::create_directories(folder_ / "one" / "x.cuh");
  fs::create_directories(folder_ / "two");
  write("two/x.cuh", "int x;\n");
  EXPECT_EQ(headers_.find({"x.cuh", true, {}}, folder_ / "one", {folder_ / "two"}), folder_ / "two" / "x.cuh");
}

TEST(IncludeName, NoFileHasANameWithNul) {
  EXPECT_EQ(include_name(" \"x.h\" ")->name, "x.h");
  EXPECT_FALSE(include_name(std::string("\"x\0.h\"", 7)));
  EXPECT_FALSE(include_name("MACRO"));
}

}  // namespace
}  // namespace xcuda::compiler
