#include "nvcc/groups.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace xcuda::nvcc {
namespace {

SourceFile file(const char* name, const char* text = "") { return {name, text, 1, name}; }

TEST(Groups, SharedFilesArePartOfEveryProgram) {
  Groups groups;
  groups.save("shared", file("vec.cuh", "old"));
  groups.save("shared", file("log.cu"));
  groups.save("a", file("main.cu"));
  groups.save("a", file("vec.cuh", "of a"));
  EXPECT_EQ(groups.files_of("").size(), 2);
  const auto files = groups.files_of("a");
  ASSERT_EQ(files.size(), 3);
  EXPECT_EQ(files[0].text, "of a");
  EXPECT_TRUE(groups.remove("a"));
  EXPECT_FALSE(groups.remove("a"));
  EXPECT_EQ(groups.files_of("a").front().text, "old");
}

TEST(Groups, ASavedFileReplacesTheOneOfItsName) {
  Groups groups;
  groups.save("a", file("main.cu", "1"));
  groups.save("a", file("main.cu", "2"));
  ASSERT_EQ(groups.files_of("a").size(), 1);
  EXPECT_EQ(groups.files_of("a").front().text, "2");
}

TEST(Groups, NamesStayInTheProgramsFolder) {
  Groups groups;
  for (const auto* name : {"../main.cu", "/tmp/main.cu", "a/../../b.cu", "notes.txt", "main"})
    EXPECT_THROW(groups.save("a", file(name)), Error) << name;
  groups.save("a", file("kernels/scan.cu"));
  EXPECT_TRUE(is_compiled(groups.files_of("a").front()));
  EXPECT_FALSE(is_compiled(file("vec.cuh")));
}

}  // namespace
}  // namespace xcuda::nvcc
