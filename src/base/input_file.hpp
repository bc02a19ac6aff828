// Files that a user names, opened for reading in one place. Only regular files: a FIFO without a writer, a terminal or
// /dev/zero would hold the session for good.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/handle.hpp"

namespace xcuda {

// "a folder", "a FIFO", "a character device", ... of a mode that stat() gives.
std::string_view file_type_name(mode_t mode);

// A path as messages show it: in quotes, without control characters, and shortened in the middle.
std::string shown_path(std::string_view path);

// Errors: io, which says what a path names that is not a regular file. Nothing here waits for another process.
class InputFile {
 public:
  explicit InputFile(std::string path);
  InputFile(File open, std::string path);  // of a descriptor that came from another process

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // as of the opening; 0 for many files of /proc, however long they are
  const File& descriptor() const { return file_; }
  File release() && { return std::move(file_); }

  // Fills `bytes` from where the last read ended; fewer only at the end of the file.
  std::size_t read(std::span<std::byte> bytes);

 private:
  std::string path_;
  File file_;
  std::uint64_t size_ = 0;
};

// The whole file. More than `most` bytes is an Error(io), whatever the size was said to be: a file may grow while it is
// read.
std::string read_file(const std::string& path, std::uint64_t most);
// read_file() with the error as a value.
std::variant<std::string, Error> try_read_file(const std::string& path, std::uint64_t most);

}  // namespace xcuda
