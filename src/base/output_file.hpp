// Files that a user asks for, written in one place: whole or not at all. Everything goes to another name in the same
// folder, which takes the file's own when it is complete and on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/handle.hpp"

namespace xcuda {

// Errors: io. An older file of this name keeps its mode and its owner, and its contents until commit(). A symbolic link
// stays one: what it points to is written, or made. A path that names a folder, a device, a FIFO or a socket is refused
// by what it is.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();  // without commit() nothing is left
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  // Replaces bytes already written, or writes beyond them. The next write() goes on where the last one ended.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  void commit();

 private:
  [[noreturn]] void fail(std::string why, std::string advice) const;
  [[noreturn]] void fail(int reason) const;  // an errno

  std::string path_;                // as it was named
  std::string target_, temporary_;  // links followed; beside it, empty when there is none
  File file_;
};

void write_file(const std::string& path, std::span<const std::byte> bytes);
void write_file(const std::string& path, std::string_view text);

}  // namespace xcuda
