#include "base/file_stamp.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace xcuda {
namespace {

namespace fs = std::filesystem;

TEST(FileStamp, ChangesWithSizeTimeAndPath) {
  const auto folder = fs::temp_directory_path() / ("xcuda_stamp_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const auto file = folder / "a file", copy = folder / "b";
  std::ofstream(file) << "one";
  const auto time = fs::last_write_time(file);
  const auto first = file_stamp(file);
  EXPECT_TRUE(first.ends_with(" " + file.string() + "\n"));
  EXPECT_EQ(file_stamp(file), first);
  std::ofstream(file) << "three";
  fs::last_write_time(file, time);
  const auto longer = file_stamp(file);
  EXPECT_NE(longer, first);
  fs::last_write_time(file, time + std::chrono::microseconds(1));
  EXPECT_NE(file_stamp(file), longer);
  fs::copy_file(file, copy);
  EXPECT_NE(file_stamp(copy), file_stamp(file));
  fs::remove_all(folder);
}

TEST(FileStamp, IsEmptyForWhatIsNotAFile) {
  EXPECT_EQ(file_stamp("/nowhere/at/all"), "");
  EXPECT_EQ(file_stamp("/tmp"), "");
  EXPECT_EQ(file_stamp(""), "");
}

TEST(CodeStamp, IsOfTheFileThatHasTheFunction) {
  const auto own = code_stamp(reinterpret_cast<const void*>(&file_stamp));
  const auto of_the_c_library = code_stamp(reinterpret_cast<const void*>(&getpid));
  EXPECT_NE(own, "");
  EXPECT_NE(of_the_c_library.find("libc.so"), std::string::npos);
  EXPECT_NE(own, of_the_c_library);
}

}  // namespace
}  // namespace xcuda
