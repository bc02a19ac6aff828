// Memory that two processes map: a memfd, and mappings of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/handle.hpp"

namespace xcuda {

// Whether pages are reserved at once, so that too much is an Error(memory) and no later kill, or taken as they are
// used.
enum class Reserve : std::uint8_t { now, as_used };

// A memfd of `size` bytes, zero.
File make_memory_file(const std::string& name, std::uint64_t size, Reserve reserve = Reserve::now);

enum class Populate : std::uint8_t { lazily, now };  // now: no page faults later

// Shared, readable and writable. Errors: memory.
class SharedMapping {
 public:
  SharedMapping() = default;
  SharedMapping(const File& file, std::size_t size, Populate populate = Populate::lazily);
  static SharedMapping where_possible(const File& file, std::size_t size);  // empty instead of an error
  SharedMapping(SharedMapping&& other) noexcept;
  SharedMapping& operator=(SharedMapping&& other) noexcept;
  SharedMapping(const SharedMapping&) = delete;
  SharedMapping& operator=(const SharedMapping&) = delete;
  ~SharedMapping();

  std::byte* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }
  std::span<std::byte> bytes() const { return bytes_; }
  explicit operator bool() const { return !bytes_.empty(); }

 private:
  std::span<std::byte> bytes_;
};

// A file's bytes as memory, only for reading. If the file becomes shorter, reading the missing part ends the process.
class FileMapping {
 public:
  FileMapping() = default;
  FileMapping(const File& file, std::size_t size);  // Errors: memory
  FileMapping(FileMapping&& other) noexcept;
  FileMapping& operator=(FileMapping&& other) noexcept;
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;
  ~FileMapping();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace xcuda
