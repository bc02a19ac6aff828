#include "base/input_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

namespace xcuda {
namespace {
namespace fs = std::filesystem;

class InputFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "input-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  // What read_file() says of a path, "" when it reads it.
  static std::string failure(const std::string& path, std::uint64_t most = 1 << 20) {
    auto result = try_read_file(path, most);
    const auto* error = std::get_if<Error>(&result);
    if (error == nullptr) return "";
    EXPECT_EQ(error->kind, ErrorKind::io);
    EXPECT_TRUE(error->message.starts_with("cannot read \"")) << error->message;
    EXPECT_THROW(read_file(path, most), Error);
    return error->library;
  }
  fs::path folder_;
};

TEST_F(InputFiles, AFileIsReadWhole) {
  EXPECT_EQ(read_file(write("empty", ""), 10), "");
  EXPECT_EQ(read_file(write("text", std::string("a\0b", 3)), 3), std::string("a\0b", 3));
  const std::string large(3'000'001, 'x');
  EXPECT_EQ(read_file(write("large", large), large.size()), large);
  fs::create_symlink(folder_ / "text", folder_ / "link");
  EXPECT_EQ(read_file(folder_ / "link", 3).size(), 3u);
}

TEST_F(InputFiles, WhatIsNoFileIsNamed) {
  ASSERT_EQ(mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::strncpy(address.sun_path, (folder_ / "socket").c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(bind(server, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  fs::create_symlink(folder_ / "fifo", folder_ / "link");
  EXPECT_EQ(failure(folder_ / "fifo"), "it is a FIFO, not a file");
  EXPECT_EQ(failure(folder_ / "link"), "it is a FIFO, not a file");
  EXPECT_EQ(failure(folder_ / "socket"), "it is a socket, not a file");
  EXPECT_EQ(failure(folder_), "it is a folder, not a file");
  EXPECT_EQ(failure("/dev/zero"), "it is a character device, not a file");
  EXPECT_THROW(InputFile("/dev/null"), Error);
  close(server);
}

TEST_F(InputFiles, WhatCannotBeOpenedSaysWhy) {
  EXPECT_EQ(failure(folder_ / "nowhere"), errno_text(ENOENT));
  EXPECT_EQ(failure(""), errno_text(ENOENT));
  EXPECT_EQ(failure(folder_ / std::string(10'000, 'x')), errno_text(ENAMETOOLONG));
  EXPECT_EQ(failure(write("text", "x") + std::string("\0.npy", 5)), "its name holds a NUL byte");
  fs::create_symlink(folder_ / "circle", folder_ / "circle");
  EXPECT_EQ(failure(folder_ / "circle"), errno_text(ELOOP));
}

TEST_F(InputFiles, AUserWhoMayNotReadItIsToldSo) {
  const auto path = write("secret", "x");
  chmod(path.c_str(), 0);
  if (access(path.c_str(), R_OK) == 0) GTEST_SKIP() << "this user may read every file";
  EXPECT_EQ(failure(path), errno_text(EACCES));
}

// Files of /proc: without a size, with an error in place of an end, without an end.
TEST_F(InputFiles, FilesWhoseSizeIsUnknownAreReadToTheirEnd) {
  EXPECT_TRUE(read_file("/proc/self/status", 1 << 20).starts_with("Name:"));
  EXPECT_NE(failure("/proc/self/mem"), "");
  EXPECT_EQ(failure("/proc/self/status", 10), "it is longer than 10 B, the limit");
}

TEST_F(InputFiles, TheLimitHoldsWhateverTheSize) {
  const auto path = write("ten", "0123456789");
  EXPECT_EQ(failure(path, 9), "it is longer than 9 B, the limit");
  EXPECT_EQ(failure(path, 10), "");
  ASSERT_EQ(truncate(path.c_str(), off_t{1} << 40), 0);  // sparse: no memory is taken for it
  EXPECT_EQ(failure(path), "it is longer than 1.0 MiB, the limit");
}

// Another thread appends all the time: the read ends, with the file of some moment or at the limit.
TEST_F(InputFiles, AFileThatGrowsIsNoTrap) {
  const auto path = write("log", "");
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    std::ofstream file(path, std::ios::binary | std::ios::app);
    while (!stop) file << std::string(4096, 'x') << std::flush;
  });
  for (int i = 0; i < 50; ++i) {
    const auto result = try_read_file(path, 1 << 20);
    if (const auto* text = std::get_if<std::string>(&result)) {
      EXPECT_LE(text->size(), 1u << 20);
    }
  }
  stop = true;
  writer.join();
}

TEST_F(InputFiles, PiecesGoOnWhereTheLastOneEnded) {
  InputFile file(write("text", "abcde"));
  EXPECT_EQ(file.size(), 5u);
  std::string piece(3, ' ');
  EXPECT_EQ(file.read(std::as_writable_bytes(std::span(piece))), 3u);
  EXPECT_EQ(piece, "abc");
  EXPECT_EQ(file.read(std::as_writable_bytes(std::span(piece))), 2u);
  EXPECT_EQ(piece, "dec");
  EXPECT_EQ(file.read(std::as_writable_bytes(std::span(piece))), 0u);
  EXPECT_NE(fcntl(file.descriptor().get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(InputFiles, MessagesShowPathsWithoutControlCharacters) {
  EXPECT_EQ(shown_path("a b.npy"), "\"a b.npy\"");
  EXPECT_EQ(shown_path("a\nb\x1b[31m"), "\"a\\x0ab\\x1b[31m\"");
  EXPECT_EQ(shown_path("\xff.npy"), "\"\xef\xbf\xbd.npy\"");
  const auto shown = shown_path(std::string(10'000, 'x') + ".npy");
  EXPECT_LT(shown.size(), 220u);
  EXPECT_TRUE(shown.ends_with(".npy\""));
}

}  // namespace
}  // namespace xcuda
